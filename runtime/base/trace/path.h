//===- path.h - Where a trace or a profile goes to ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file's name as its user gives it, and the file that is meant.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_PATH_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_PATH_H

#include <stdbool.h>

typedef struct agpu__trace_path {
  char pattern[4096]; ///< as it was given
  char folder[4096];  ///< what stands before it, "" or with a slash
  char path[8192];    ///< what is meant; "": nothing
  bool has_number;    ///< the path has the process's
} agpu__trace_path;

/// Keeps the pattern, and the folder that the process is in now if it needs
/// one. False where it is too long; then nothing has changed.
bool agpu__trace_path_set(agpu__trace_path *self, const char *pattern);

/// Works the path out for a `process`: "%p" is replaced by its number, and "%%"
/// by "%", and a link is followed. False, with errno, where it is too long, or
/// nothing could be written there; then the path is "".
bool agpu__trace_path_expand(agpu__trace_path *self, int process);

/// Whether the file that is meant is called so: ".json".
bool agpu__trace_path_ends_in(const agpu__trace_path *self, const char *ending);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_PATH_H
