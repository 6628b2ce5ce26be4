//===- parallel.h - Parallel loops ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `scf.parallel` on the host becomes.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_PARALLEL_H
#define ASYNC_GPU_PARALLEL_H

#include "async_gpu/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the iterations from `begin` to below `end`, which is more than `begin`.
typedef void (*agpu_loop_body)(void *context, int64_t begin, int64_t end);

/// Runs the iterations from 0 to below `count`, each once and in any order, on
/// this thread and on workers that have nothing else to do. Returns when all
/// have ended; what they wrote is then visible to the caller. Each call of
/// `body` is for `grain` iterations or more, except for the last ones, and a
/// loop of fewer than two such pieces stays on this thread. Bodies may wait for
/// tokens, and may run loops. A count below 1 is no iteration. Any thread.
AGPU_EXPORT void agpu_parallel_for(int64_t count, int64_t grain,
                                   agpu_loop_body body, void *context);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_PARALLEL_H
