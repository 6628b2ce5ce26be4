//===- output.h - The file that a trace goes to -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Into a file that takes the name it is meant to have only when it is
// whole. Everything here may be called in a signal handler.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_OUTPUT_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agpu__trace_output {
  int file;
  int error; ///< errno of what failed first; 0: nothing
  size_t used;
  char path[8192], temporary[8224]; ///< "": the file itself is written
  char bytes[1 << 15];
} agpu__trace_output;

/// Whether `path` is there and no regular file: a pipe, a terminal, a device.
bool agpu__trace_output_is_special(const char *path);

/// Whether a trace could be written to `path`; otherwise errno says why not.
bool agpu__trace_output_check(const char *path);

/// Opens it; for NULL what `file` has open, which stays so. What fails here or
/// later, agpu__trace_output_close tells.
void agpu__trace_output_open(agpu__trace_output *to, const char *path,
                             int file);

/// Adds bytes.
void agpu__trace_put_bytes(agpu__trace_output *to, const void *data,
                           size_t size);

/// Gives the file its name. Returns 0, or the errno of what failed: then the
/// name is what it was before, and nothing is left over.
int agpu__trace_output_close(agpu__trace_output *to);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_OUTPUT_H
