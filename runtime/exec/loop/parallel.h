//===- parallel.h - Loops on all threads ------------------------*- C -*-===//
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

#endif // ASYNC_GPU_RUNTIME_EXEC_LOOP_PARALLEL_H
