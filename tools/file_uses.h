//===- file_uses.h - Which files a tool reads and writes --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of a command line, so that none of them is lost: an output is never
// a file that is read, nor another output, under whatever name.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_FILE_USES_H
#define ASYNC_GPU_TOOLS_FILE_USES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct agpu__file_use {
  const char *option; ///< that names it: "-o"; "": it is the input
  char *path;
  bool is_output;
} agpu__file_use;

/// Begins as zeros.
typedef struct agpu__file_uses {
  agpu__file_use *data;
  size_t count;
} agpu__file_uses;

/// Adds a file that is read; "-" is stdin. NULL adds nothing.
void agpu__file_uses_read(agpu__file_uses *self, const char *option,
                          const char *path);

/// Adds a file that is written; "-" is stdout. NULL adds nothing.
void agpu__file_uses_write(agpu__file_uses *self, const char *option,
                           const char *path);

/// False, after a message, if an output is the same file as an input or as
/// another output. Before anything is written. Pipes, terminals and devices are
/// never the same.
bool agpu__file_uses_check(const agpu__file_uses *self, const char *tool);

void agpu__file_uses_free(agpu__file_uses *self);

/// True if `path` may be the output of `option`: its name ends in `ending` or
/// in `other`, if that is not NULL, or what is there is no regular file. Else
/// false after a message: what stands behind an option may have been meant as
/// the input.
bool agpu__output_name_check(const char *tool, const char *option,
                             const char *path, const char *ending,
                             const char *other);

#endif // ASYNC_GPU_TOOLS_FILE_USES_H
