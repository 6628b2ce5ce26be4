//===- abort_cause.h - Why compiled code aborts -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's own lowering of an await in a plain function asks whether the object
// is in error, and calls abort() if so. What has failed, only the runtime
// knows. It prints that when the process is aborted on a thread that was told
// of an error and has not done anything asynchronous since: a program that
// handles errors has.
//
// The printing is done by a handler of SIGABRT, which is installed with the
// first error that a program is told of, and calls the one before it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_ABORT_CAUSE_H
#define ASYNC_GPU_RUNTIME_ASYNC_ABORT_CAUSE_H

#include "async_gpu/status.h"
#include "base/os/self.h"

#include <stdbool.h>

/// The calling thread is told that something ended with `status`.
void agpu__abort_cause_set(agpu_status status);

/// Forgets what the calling thread was told.
void agpu__abort_cause_forget(void);

/// The calling thread goes on.
static inline void agpu__abort_cause_clear(void) {
  if (agpu__self.async.abort_cause)
    agpu__abort_cause_forget();
}

#endif // ASYNC_GPU_RUNTIME_ASYNC_ABORT_CAUSE_H
