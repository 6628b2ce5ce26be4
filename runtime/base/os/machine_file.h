//===- machine_file.h - Files that describe the machine -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel tells in /proc and /sys, as short texts. Every reader takes
// the folder that stands for "/", so that tests can show it other machines.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_MACHINE_FILE_H
#define ASYNC_GPU_RUNTIME_BASE_OS_MACHINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Reads the file that `format` and what follows name, below `root` ("" for
/// the machine's own), as a string of at most `size` - 1 bytes; the rest is
/// left out. False where it cannot be read; `text` is then "".
bool agpu__machine_read(const char *root, char *text, size_t size,
                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// The same for a file that holds one integer.
bool agpu__machine_read_integer(const char *root, int64_t *out_value,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Takes the next range off a list of CPUs or nodes ("0-3,8,10-11"): `*text`
/// is moved after it. False at the end, or where the list is malformed.
bool agpu__machine_next_range(const char **text, int *out_first, int *out_last);

#endif // ASYNC_GPU_RUNTIME_BASE_OS_MACHINE_FILE_H
