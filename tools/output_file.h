//===- output_file.h - Files written whole or not at all --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_OUTPUT_FILE_H
#define ASYNC_GPU_TOOLS_OUTPUT_FILE_H

#include "lower/ir/text.h"

#include <stdbool.h>
#include <stddef.h>

/// Writes `data` to the file `path`, or to stdout for "-". A regular file is
/// written beside its final name and renamed, so that a reader or an
/// interruption never sees a part of it. On failure: false, nothing is left
/// behind, and a message is appended to `error`. `executable`: whoever may read
/// the file may run it.
bool agpu__output_write(const char *path, const char *data, size_t size,
                        bool executable, agpu__text *error);

#endif // ASYNC_GPU_TOOLS_OUTPUT_FILE_H
