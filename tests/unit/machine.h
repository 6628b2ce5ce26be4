//===- machine.h - Trees of files that describe machines ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder that stands for "/" to base/os/cpus.c.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_MACHINE_H
#define ASYNC_GPU_TESTS_UNIT_MACHINE_H

#include "check.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/// Makes an empty folder; `root` gets its path.
static inline void machine_create(char root[static 64]) {
  const char *folder = getenv("TMPDIR");
  if (!folder || strlen(folder) > 40)
    folder = "/tmp";
  snprintf(root, 64, "%.40s/machine-XXXXXX", folder);
  CHECK(mkdtemp(root));
}

/// Removes it with all in it.
static inline void machine_destroy(const char *root) {
  char command[96];
  snprintf(command, sizeof(command), "rm -r '%s'", root);
  CHECK(system(command) == 0);
}

/// Writes one file, and the folders above it.
__attribute__((format(printf, 3, 4))) static inline void
machine_write(const char *root, const char *text, const char *format, ...) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof(path), "%s", root);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path + length, sizeof(path) - (size_t)length, format, arguments);
  va_end(arguments);
  FILE *file = fopen(path, "w");
  for (char *slash = path + length + 1; !file && (slash = strchr(slash, '/'));
       ++slash) {
    *slash = '\0';
    (void)mkdir(path, 0700);
    *slash = '/';
  }
  if (!file)
    file = fopen(path, "w");
  CHECK(file);
  fputs(text, file);
  CHECK(fclose(file) == 0);
}

#endif // ASYNC_GPU_TESTS_UNIT_MACHINE_H
