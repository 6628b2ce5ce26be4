//===- nearest.h - What a misspelt name may have been -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_NEAREST_H
#define ASYNC_GPU_LOWER_NEAREST_H

#include <stddef.h>

/// Keeps the name in `*best` that is the nearest to `wanted` so far. Start
/// with *best NULL and *distance (size_t)-1; nothing farther than a third of
/// the letters counts.
void agpu__nearest_name(const char *wanted, const char *candidate,
                        const char **best, size_t *distance);

#endif // ASYNC_GPU_LOWER_NEAREST_H
