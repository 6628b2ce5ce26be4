//===- task_error.h - Failures of tasks and of aborts -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H
#define ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H

#include "async_gpu/status.h"
#include "base/os/self.h"

#include <stdbool.h>

/// A new reference to a status of the user's program with `message` and
/// `location` (or NULL). Calls of one thread within one task that say the same
/// share a record: a region that fails ends its token and each of its values
/// with a call of their own, and an observer of one has seen the failure
/// (see base/report/status_track.h). For upstream's functions, which cannot
/// tell; two failures that one task does not wait for in between count as one
/// there.
agpu_status agpu__task_error(const char *message, const char *location);

/// Forgets the calling thread's record, so that it counts as unobserved if it
/// is. For the thread that shuts the runtime down; others do it as they end.
void agpu__task_error_forget(void);

//===----------------------------------------------------------------------===//
// Why compiled code aborts
//
// MLIR's own lowering of an await in a plain function asks whether the object
// is in error, and calls abort() if so. What has failed, only the runtime
// knows. It prints that when the process is aborted on a thread that was told
// of an error and has not done anything asynchronous since: a program that
// handles errors has.
//
// The printing is done by a handler of SIGABRT, which is installed with the
// first error that is reported, and calls the one before it.
//===----------------------------------------------------------------------===//

/// The calling thread is told that something ended with `status`.
void agpu__abort_cause_set(agpu_status status);

/// Forgets what the calling thread was told.
void agpu__abort_cause_forget(void);

/// The calling thread goes on.
static inline void agpu__abort_cause_clear(void) {
  if (agpu__self.async.abort_cause)
    agpu__abort_cause_forget();
}

#endif // ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H
