//===- reduce.h - Loops with a result on all threads ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_LOOP_REDUCE_H
#define ASYNC_GPU_RUNTIME_EXEC_LOOP_REDUCE_H

#include <stdint.h>

/// Runs the iterations from `begin` to below `end`, which is more than `begin`,
/// and writes what they give together.
typedef void (*agpu__reduce_body)(void *context, int64_t begin, int64_t end,
                                  void *out_partial);

/// Adds `partial` to `into`, on its right.
typedef void (*agpu__reduce_combine)(void *context, void *into,
                                     const void *partial);

/// Pieces of a loop, at most.
#define AGPU__REDUCE_PIECES 1024

/// As agpu__exec_parallel_for, with a result. The iterations fall into pieces
/// of `grain` or more, by `count` and `grain` alone; their partial results, of
/// `size` bytes each and aligned as a C object of that size could be, are
/// combined with what `result` holds in the order of the iterations, on this
/// thread. So neither the number of threads nor chance has a say in the result.
/// Any thread.
void agpu__exec_parallel_reduce(int64_t count, int64_t grain,
                                agpu__reduce_body body,
                                agpu__reduce_combine combine, void *context,
                                void *result, int64_t size);

#endif // ASYNC_GPU_RUNTIME_EXEC_LOOP_REDUCE_H
