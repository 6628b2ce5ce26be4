//===- split_input.h - An input in pieces -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_SPLIT_INPUT_H
#define ASYNC_GPU_TOOLS_SPLIT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/// Calls `visit` for each piece of `text` between lines of `// -----`, with a
/// copy that has the line numbers of the whole text, until `visit` returns
/// false. Returns false if it did.
bool agpu__split_input(const char *text, size_t size,
                       bool (*visit)(const char *piece, size_t size,
                                     bool is_first, void *data),
                       void *data);

#endif // ASYNC_GPU_TOOLS_SPLIT_INPUT_H
