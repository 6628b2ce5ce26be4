//===- link_program.c - Object files to executables -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "link_program.h"

#include "output_file.h"

#include "lower/ir/ir.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

typedef struct command {
  char **words; ///< ends with NULL
  size_t count;
} command;

static void add_word(command *c, const char *text, size_t size) {
  char **words = realloc(c->words, (c->count + 2) * sizeof(*words));
  char *word = strndup(text, size);
  if (!words || !word)
    abort();
  c->words = words;
  c->words[c->count++] = word;
  c->words[c->count] = NULL;
}

static void add(command *c, const char *word) {
  add_word(c, word, strlen(word));
}

/// The words between any of `separators`.
static void add_list(command *c, const char *list, const char *separators) {
  while (*list) {
    size_t size = strcspn(list, separators);
    if (size)
      add_word(c, list, size);
    list += size + (list[size] != '\0');
  }
}

static void free_command(command *c) {
  for (size_t i = 0; i < c->count; ++i)
    free(c->words[i]);
  free(c->words);
}

/// Where the libraries are, seen from this tool: in the build tree and where it
/// is installed; in Debian's packages.
#define BIN_TO_LIB "../lib"
static const char *const lib_folders[] = {BIN_TO_LIB,
                                          BIN_TO_LIB "/" AGPU_MULTIARCH};

static bool find_libraries(char folder[PATH_MAX], agpu__text *error) {
  char tool[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", tool, sizeof(tool) - 1);
  if (size > 0) {
    tool[size] = '\0';
    *strrchr(tool, '/') = '\0';
  }
  bool found = false;
  for (size_t i = 0;
       size > 0 && !found && i < sizeof(lib_folders) / sizeof(*lib_folders);
       ++i) {
    agpu__text path = {0};
    agpu__text_printf(&path, "%s/%s/libasync_gpu_utils.a", tool,
                      lib_folders[i]);
    found = realpath(path.data, folder) != NULL;
    agpu__text_free(&path);
  }
  if (found)
    *strrchr(folder, '/') = '\0';
  else
    agpu__text_printf(error,
                      "the libraries of async-gpu are not in '" BIN_TO_LIB
                      "' from the folder of this tool");
  return found;
}

static void make_command(command *c, const agpu__link_settings *settings,
                         const char *libraries, const char *object,
                         const char *program) {
  const char *compiler = secure_getenv("CC");
  add_list(c, compiler && *compiler ? compiler : "cc", " ");
  add(c, "-o");
  add(c, program);
  add(c, object);
  add_list(c, settings->arguments ? settings->arguments : "", ",");
  agpu__text option = {0};
  agpu__text_printf(&option, "-L%s", libraries);
  add(c, option.data);
  agpu__text_free(&option);
  add(c, "-Wl,--undefined=agpu__program_output");
  add(c, "-lasync_gpu_utils");
  if (settings->static_runtime) {
    // The emulated device, which the runtime asks for if it is there.
    add(c, "-Wl,-u,agpu__emu_find");
    add(c, "-l:libasync_gpu_emu.a");
    add(c, "-l:libasync_gpu_runtime.a");
    add(c, "-pthread");
  } else {
    add(c, "-lasync_gpu_runtime");
    agpu__text_printf(&option, "-Wl,-rpath,$ORIGIN:$ORIGIN/../lib:%s",
                      libraries);
    add(c, option.data);
    agpu__text_free(&option);
  }
  add(c, "-lm");
  add(c, "-Wl,-z,relro,-z,now");
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

/// What the linker misses, each name once; else all that was said.
static void report_failure(const char *compiler, const char *said,
                           agpu__text *error) {
  static const char mark[] = "undefined reference to `";
  agpu__text names = {0};
  for (const char *at = said; (at = strstr(at, mark));) {
    at += sizeof(mark) - 1;
    char *name = agpu__format("'%.*s'", (int)strcspn(at, "'\n"), at);
    if (!strstr(agpu__text_get(&names), name))
      agpu__text_printf(&names, "%s%s", names.size ? ", " : "", name);
    free(name);
  }
  if (names.size)
    agpu__text_printf(error,
                      "'%s' did not link the program: nothing defines %s; "
                      "--link=FILE,... adds libraries and object files",
                      compiler, names.data);
  else
    agpu__text_printf(error,
                      "'%s' did not link the program; --link=FILE,... adds "
                      "libraries and object files%s%s",
                      compiler, *said ? ". It says:\n" : "", said);
  while (error->size && error->data[error->size - 1] == '\n')
    error->data[--error->size] = '\0';
  agpu__text_free(&names);
}

static bool run_command(const command *c, agpu__temporary *folder,
                        agpu__text *error) {
  int status = 0;
  const char *log = agpu__temporary_file(folder, "log");
  int reason = agpu__temporary_run(folder, c->words, log, &status);
  if (reason) {
    agpu__text_printf(error,
                      "cannot run '%s' to link: %s; install a C compiler, or "
                      "name one with CC",
                      c->words[0], strerror(reason));
    return false;
  }
  agpu__text said = {0}, ignored = {0};
  (void)agpu__source_read(log, &said, &ignored);
  agpu__text_free(&ignored);
  bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (ok)
    fputs(agpu__text_get(&said), stderr); // warnings
  else
    report_failure(c->words[0], agpu__text_get(&said), error);
  agpu__text_free(&said);
  return ok;
}

bool agpu__link_program(const agpu__text *object,
                        const agpu__link_settings *settings,
                        agpu__text *out_program, agpu__text *error) {
  char libraries[PATH_MAX];
  if (!find_libraries(libraries, error))
    return false;
  agpu__temporary *folder = agpu__temporary_create(error);
  if (!folder)
    return false;
  const char *input = agpu__temporary_file(folder, "program.o");
  const char *output = agpu__temporary_file(folder, "program");
  command c = {0};
  make_command(&c, settings, libraries, input, output);
  bool ok =
      agpu__output_write(input, object->data, object->size, false, error) &&
      run_command(&c, folder, error) &&
      agpu__source_read(output, out_program, error);
  free_command(&c);
  agpu__temporary_destroy(folder);
  return ok;
}
