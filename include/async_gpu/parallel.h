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

#include "async_gpu/object.h"
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

/// Runs the iterations from `begin` to below `end`, which is more than `begin`,
/// and writes what they give together to `out_partial`.
typedef void (*agpu_reduce_body)(void *context, int64_t begin, int64_t end,
                                 void *out_partial);

/// Adds `partial`, the result of iterations after those that `into` is of
/// for, to `into`.
typedef void (*agpu_reduce_combine)(void *context, void *into,
                                    const void *partial);

/// As agpu_parallel_for, for a loop with a result of `size` bytes: `result`
/// holds a first value when it is called, and that and all partial results
/// together when it returns. These are aligned to the largest power of two that
/// divides `size`, and to 16. The iterations fall into pieces by `count` and
/// `grain` alone, and partial results are combined in the order of the
/// iterations, on this thread: whatever `combine` does, the result is the same
/// with any number of threads. Ends the process if there is no memory for the
/// partial results, 1024 at most.
AGPU_EXPORT void agpu_parallel_reduce(int64_t count, int64_t grain,
                                      agpu_reduce_body body,
                                      agpu_reduce_combine combine,
                                      void *context, void *result,
                                      int64_t size);

/// As agpu_loop_body and agpu_reduce_body, of iterations that can fail: returns
/// a token in state READY or ERROR, whose reference the caller takes over.
/// Where it is in error, that is the error of the first iteration that has
/// failed, in their order, and the rest has not run.
typedef agpu_object *(*agpu_try_body)(void *context, int64_t begin,
                                      int64_t end);
typedef agpu_object *(*agpu_try_reduce_body)(void *context, int64_t begin,
                                             int64_t end, void *out_partial);

/// As agpu_parallel_for and agpu_parallel_reduce. Return a token that is READY,
/// or in ERROR with the error of the first iteration that fails, in their
/// order, whatever the number of threads; the caller gets a reference. All
/// iterations before that one have run, and of those after it some. `result`
/// is what it was then.
AGPU_EXPORT agpu_object *agpu_parallel_try(int64_t count, int64_t grain,
                                           agpu_try_body body, void *context);
AGPU_EXPORT agpu_object *agpu_parallel_try_reduce(int64_t count, int64_t grain,
                                                  agpu_try_reduce_body body,
                                                  agpu_reduce_combine combine,
                                                  void *context, void *result,
                                                  int64_t size);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_PARALLEL_H
