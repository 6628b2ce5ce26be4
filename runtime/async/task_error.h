//===- task_error.h - One record for one failure ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H
#define ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H

#include "async_gpu/status.h"

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

#endif // ASYNC_GPU_RUNTIME_ASYNC_TASK_ERROR_H
