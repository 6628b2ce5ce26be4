//===- toolkit.c - What a CUDA toolkit has for us -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for files, in an order that the header says, and runs the assembler as
// a process of its own. Nothing is kept between calls: an environment that
// changes is seen.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "lower/ir/ir.h"
#include "lower/pass/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Where things are
//===----------------------------------------------------------------------===//

#define LIBDEVICE "nvvm/libdevice/libdevice.10.bc"
#define PTXAS "bin/ptxas"

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool agpu__toolkit_can_be_in(const char *folder) {
  struct stat status;
  return !*folder || (stat(folder, &status) == 0 && S_ISDIR(status.st_mode));
}

/// `folder`/`file` if it is there, else NULL.
static char *file_in(const char *folder, const char *file) {
  if (!folder || !*folder)
    return NULL;
  char *path = agpu__format("%s/%s", folder, file);
  if (is_file(path))
    return path;
  free(path);
  return NULL;
}

/// `file` of the toolkit whose ptxas is in PATH.
static char *file_beside_ptxas(const char *file) {
  const char *rest = secure_getenv("PATH");
  char *found = NULL;
  while (rest && *rest && !found) {
    size_t length = strcspn(rest, ":");
    AGPU__OWNED char *entry = agpu__format("%.*s/ptxas", (int)length, rest);
    // Distributions link it from /usr/bin.
    AGPU__OWNED char *ptxas = length ? realpath(entry, NULL) : NULL;
    if (ptxas && is_file(ptxas)) {
      AGPU__OWNED char *folder = agpu__format("%s/../..", ptxas);
      found = file_in(folder, file);
    }
    rest += length + (rest[length] == ':');
  }
  return found;
}

/// The file in `folder`, or, where that is empty, in the toolkit that is found.
static char *find(const char *folder, const char *file) {
  if (*folder)
    return file_in(folder, file);
  char *found = file_in(secure_getenv("CUDA_HOME"), file);
  if (!found)
    found = file_in(secure_getenv("CUDA_PATH"), file);
  if (!found)
    found = file_beside_ptxas(file);
  return found ? found : file_in("/usr/local/cuda", file);
}

char *agpu__toolkit_libdevice(const char *folder) {
  return find(folder, LIBDEVICE);
}

char *agpu__toolkit_ptxas(const char *folder) { return find(folder, PTXAS); }

//===----------------------------------------------------------------------===//
// The assembler
//===----------------------------------------------------------------------===//

static bool read_file(const char *path, agpu__text *out) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  char buffer[16384];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;)
    agpu__text_append(out, buffer, size);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

static bool write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  size_t size = strlen(text);
  bool good = fwrite(text, 1, size, file) == size;
  return fclose(file) == 0 && good;
}

/// What the assembler wrote, as one line without the names of our files.
static void append_log(const char *path, const char *source,
                       agpu__text *error) {
  AGPU__SCOPED(text) log = {0};
  (void)read_file(path, &log);
  bool begun = false;
  for (const char *rest = agpu__text_get(&log); *rest;) {
    size_t length = strcspn(rest, "\n");
    const char *name = strstr(rest, source);
    const char *line = rest;
    // "ptxas FILE, line 12; error   : ..."
    if (name && name < rest + length)
      line = name + strlen(source) + strspn(name + strlen(source), ", ");
    size_t size = length - (size_t)(line - rest);
    if (size) {
      agpu__text_puts(error, begun ? "; " : "");
      agpu__text_append(error, line, size);
      begun = true;
    }
    rest += length + (rest[length] == '\n');
  }
}

bool agpu__toolkit_assemble(const char *ptxas, const char *ptx,
                            const char *chip, int level, bool lines,
                            agpu__text *out, agpu__text *error) {
  agpu__temporary *folder = agpu__temporary_create(error);
  if (!folder)
    return false;
  const char *source = agpu__temporary_file(folder, "module.ptx");
  const char *cubin = agpu__temporary_file(folder, "module.cubin");
  const char *log = agpu__temporary_file(folder, "log");
  AGPU__OWNED char *arch = agpu__format("-arch=%s", chip);
  AGPU__OWNED char *optimize = agpu__format("-O%d", level);
  AGPU__OWNED char *command = agpu__format("%s", ptxas);
  char output_flag[] = "-o", lines_flag[] = "--generate-line-info";
  char *input = agpu__format("%s", source), *output = agpu__format("%s", cubin);
  char *arguments[] = {command,     arch,   optimize, input,
                       output_flag, output, NULL,     NULL};
  if (lines)
    arguments[6] = lines_flag;

  bool good = false;
  if (!write_file(source, ptx)) {
    agpu__text_printf(error, "cannot write '%s': %s", source, strerror(errno));
  } else {
    int status = 0;
    int reason = agpu__temporary_run(folder, arguments, log, &status);
    good = !reason && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
           read_file(cubin, out);
    if (reason)
      agpu__text_printf(error, "cannot run '%s': %s", ptxas, strerror(reason));
    else if (!good)
      append_log(log, source, error);
  }
  agpu__temporary_destroy(folder);
  free(input);
  free(output);
  return good;
}
