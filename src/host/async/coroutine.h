//===- coroutine.h - A coroutine around a body ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_COROUTINE_H
#define ASYNC_GPU_HOST_COROUTINE_H

#include "host/async/async_body.h"

/// Where an async function starts.
typedef enum agpu__start {
  AGPU__STARTS_CALLER,   ///< a function that the user wrote, or that only
                         ///< enqueues
  AGPU__STARTS_SPAWNER,  ///< likewise; its caller is a spawner, maybe too fast
  AGPU__STARTS_EITHER,   ///< as the runtime says
  AGPU__STARTS_EXECUTOR, ///< on a worker
} agpu__start;

typedef struct agpu__coroutine {
  agpu__async_body body;
  MlirValue id, handle;
  MlirBlock suspended; ///< what a suspension leads to
  MlirBlock submitted; ///< likewise, of a start on the executor
  MlirBlock end;
  int64_t suspensions; ///< how many have a number
} agpu__coroutine;

/// Everything of a coroutine of the async function's type but the ops of its
/// body, which stand in the function. `body` has no results and no exit yet;
/// the caller frees the results.
agpu__coroutine agpu__coroutine_create(agpu__async_body body, MlirType type,
                                       agpu__start where);

/// `async.await`, `async.await_all` (wait until READY) and
/// `agpu.stream_wait` (wait until ENQUEUED, then make the stream depend).
MlirLogicalResult agpu__coroutine_await(agpu__coroutine *self,
                                        MlirOperation op);

#endif // ASYNC_GPU_HOST_COROUTINE_H
