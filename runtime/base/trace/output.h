//===- output.h - The file that a trace goes to -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON into a file that takes the name it is meant to have only when it is
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
  char text[1 << 15];
} agpu__trace_output;

/// Whether `path` is there and no regular file: a pipe, a terminal, a device.
bool agpu__trace_output_is_special(const char *path);

/// Whether a trace could be written to `path`; otherwise errno says why not.
bool agpu__trace_output_check(const char *path);

/// Opens it; standard error for NULL. What fails here or later,
/// agpu__trace_output_close tells.
void agpu__trace_output_open(agpu__trace_output *to, const char *path);

/// Text as it is.
void agpu__trace_put(agpu__trace_output *to, const char *text);

/// A string of JSON, in quotes. What is not UTF-8 is replaced.
void agpu__trace_put_string(agpu__trace_output *to, const char *text);

void agpu__trace_put_number(agpu__trace_output *to, uint64_t number);
void agpu__trace_put_signed(agpu__trace_output *to, int64_t number);

/// "0x..." in quotes.
void agpu__trace_put_hex(agpu__trace_output *to, uint64_t number);

/// Nanoseconds as microseconds.
void agpu__trace_put_time(agpu__trace_output *to, int64_t ns);

/// Gives the file its name. Returns 0, or the errno of what failed: then the
/// name is what it was before, and nothing is left over.
int agpu__trace_output_close(agpu__trace_output *to);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_OUTPUT_H
