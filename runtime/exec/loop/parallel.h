//===- parallel.h - Loops on all threads --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_LOOP_PARALLEL_H
#define ASYNC_GPU_RUNTIME_EXEC_LOOP_PARALLEL_H

#include <stdint.h>

/// Runs the iterations from `begin` to below `end`, which is more than `begin`.
typedef void (*agpu__loop_body)(void *context, int64_t begin, int64_t end);

/// Runs the iterations from 0 to below `count`, each once, on this thread and
/// on workers that have nothing else to do, and returns when all have ended;
/// what they wrote is then visible here. Calls of `body` are for `grain`
/// iterations or more, except for the last ones. A loop with fewer than two
/// such pieces runs on this thread alone. Bodies may wait, and run loops. Any
/// thread.
void agpu__exec_parallel_for(int64_t count, int64_t grain, agpu__loop_body body,
                             void *context);

/// In the child of a fork: forgets all loops and their participants.
void agpu__parallel_forget(void);

//===----------------------------------------------------------------------===//
// Loops with a result on all threads
//===----------------------------------------------------------------------===//

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

#endif // ASYNC_GPU_RUNTIME_EXEC_LOOP_PARALLEL_H
