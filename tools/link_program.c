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

//===----------------------------------------------------------------------===//
// The libraries
//===----------------------------------------------------------------------===//

#define BIN_TO_LIB "../lib"

/// `parts` and `more` as one path, if libraries of ours are there.
static bool look_in(const char *parts, const char *more,
                    char folder[PATH_MAX]) {
  char *path = agpu__format("%s/%s/libasync_gpu_utils.a", parts, more);
  bool found = realpath(path, folder) != NULL;
  free(path);
  if (found)
    *strrchr(folder, '/') = '\0';
  return found;
}

/// In the root that is named, as Debian has them or where they were built for
/// it; beside this tool, in the build tree and where it is installed; in
/// Debian's packages, which have a folder for each architecture.
static bool find_libraries(const agpu__link_settings *settings,
                           char folder[PATH_MAX], bool *out_in_root,
                           agpu__text *error) {
  char tool[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", tool, sizeof(tool) - 1);
  tool[size > 0 ? size : 0] = '\0';
  char *slash = strrchr(tool, '/');
  if (slash)
    *slash = '\0';
  const char *multiarch =
      settings->multiarch ? settings->multiarch : AGPU_MULTIARCH;
  const char *root = settings->sysroot;
  char *usr = agpu__format("usr/lib/%s", multiarch);
  char *beside = agpu__format(BIN_TO_LIB "/%s", multiarch);
  *out_in_root =
      root && (look_in(root, usr, folder) || look_in(root, "usr/lib", folder));
  bool found = *out_in_root ||
               (!settings->multiarch && look_in(tool, BIN_TO_LIB, folder)) ||
               look_in(tool, beside, folder);
  if (!found && settings->multiarch)
    agpu__text_printf(
        error,
        "the libraries of async-gpu for %s are not in '%s' from the folder of "
        "this tool%s: build them by `cmake --preset cross-aarch64` and install "
        "them there, or install their package of that architecture",
        multiarch, beside, root ? ", nor in the folder of --sysroot" : "");
  else if (!found)
    agpu__text_printf(error,
                      "the libraries of async-gpu are not in '" BIN_TO_LIB
                      "' from the folder of this tool");
  free(usr);
  free(beside);
  return found;
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static bool is_in_path(const char *name) {
  const char *all = secure_getenv("PATH");
  char *folders = strdup(all ? all : ""), *rest = folders;
  bool found = false;
  for (char *folder; !found && (folder = strsep(&rest, ":"));) {
    char *file = agpu__format("%s/%s", *folder ? folder : ".", name);
    found = access(file, X_OK) == 0;
    free(file);
  }
  free(folders);
  return found;
}

/// For another machine: GCC's cross compiler, or clang, which is one for all,
/// with the root of that machine's libraries.
static bool add_cross_compiler(command *c, const agpu__link_settings *settings,
                               agpu__text *error) {
  const char *multiarch = settings->multiarch;
  char *gcc = agpu__format("%s-gcc", multiarch);
  bool ok = true;
  if (is_in_path(gcc)) {
    add(c, gcc);
  } else if (settings->sysroot && is_in_path("clang")) {
    add(c, "clang");
    char *target = agpu__format("--target=%s", multiarch);
    add(c, target);
    free(target);
    if (is_in_path("ld.lld"))
      add(c, "-fuse-ld=lld");
  } else {
    ok = false;
    char *package = agpu__format("gcc-%s", multiarch);
    for (char *at = package; *at; ++at)
      *at = *at == '_' ? '-' : *at;
    agpu__text_printf(error,
                      "there is no '%s' to link with; install the package %s, "
                      "or clang and lld with --sysroot, or name a compiler "
                      "with CC",
                      gcc, package);
    free(package);
  }
  free(gcc);
  return ok;
}

static bool add_compiler(command *c, const agpu__link_settings *settings,
                         agpu__text *error) {
  const char *named = secure_getenv("CC");
  if (named && *named)
    add_list(c, named, " ");
  else if (!settings->multiarch)
    add(c, "cc");
  else if (!add_cross_compiler(c, settings, error))
    return false;
  if (settings->sysroot) {
    char *root = agpu__format("--sysroot=%s", settings->sysroot);
    add(c, root);
    free(root);
  }
  return true;
}

static void add_arguments(command *c, const agpu__link_settings *settings,
                          const char *libraries, bool in_root,
                          const char *object, const char *program) {
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
  // Of messages between processes, only where the program has some.
  if (settings->static_runtime) {
    add(c, "-l:libasync_gpu_mpi.a");
    // The emulated device, which the runtime asks for if it is there.
    add(c, "-Wl,-u,agpu__emu_find");
    add(c, "-l:libasync_gpu_emu.a");
    add(c, "-l:libasync_gpu_runtime.a");
    add(c, "-pthread");
  } else {
    add_list(c, "-Wl,--push-state,--as-needed -lasync_gpu_mpi -Wl,--pop-state",
             " ");
    add(c, "-lasync_gpu_runtime");
    // Those of a root are where the loader of that machine looks by itself.
    agpu__text_printf(&option, "-Wl,-rpath,$ORIGIN:$ORIGIN/../lib%s%s",
                      in_root ? "" : ":", in_root ? "" : libraries);
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
  bool in_root;
  command c = {0};
  agpu__temporary *folder =
      find_libraries(settings, libraries, &in_root, error) &&
              add_compiler(&c, settings, error)
          ? agpu__temporary_create(error)
          : NULL;
  if (!folder) {
    free_command(&c);
    return false;
  }
  const char *input = agpu__temporary_file(folder, "program.o");
  const char *output = agpu__temporary_file(folder, "program");
  add_arguments(&c, settings, libraries, in_root, input, output);
  bool ok =
      agpu__output_write(input, object->data, object->size, false, error) &&
      run_command(&c, folder, error) &&
      agpu__source_read(output, out_program, error);
  free_command(&c);
  agpu__temporary_destroy(folder);
  return ok;
}
