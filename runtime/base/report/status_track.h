//===- status_track.h - Errors that no one has observed ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error that was put into a token, value or group must not get lost. Each
// status record remembers whether it was put into an object ("tracked") and
// whether anyone has looked at it since ("observed"). A tracked record that
// dies unobserved is kept as the process's unobserved error; the first one
// wins. The mark sits in the record and not in the object, because one failure
// travels in one record through many objects, and an observer of any of them
// has seen the failure.
//
// All functions are thread safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_STATUS_TRACK_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_STATUS_TRACK_H

#include "async_gpu/status.h"

#include <stdbool.h>

/// A number of who has just created the error, beside its code; 0: none. For
/// the process's error for want of memory it is always none.
void agpu__status_set_result(agpu_status status, int result);
int agpu__status_get_result(agpu_status status);

/// From now on the death of `status` without agpu__status_observe is an
/// unobserved error. NULL is allowed.
void agpu__status_track(agpu_status status);

/// Someone has seen `status` and answers for it. NULL is allowed.
void agpu__status_observe(agpu_status status);

/// Whether someone has. False for NULL.
bool agpu__status_is_observed(agpu_status status);

/// One of the tracked errors that nobody has seen, as a new reference, or NULL:
/// of the first few, and those after them that have taken their places. No
/// other thread releases any meanwhile.
agpu_status agpu__status_find_unobserved(void);

/// Takes over `status` as the process's unobserved error, unless there is one
/// already. For failures that no caller can be told of.
void agpu__status_report(agpu_status status);

/// The process's unobserved error, handed over to the caller, or NULL.
agpu_status agpu__status_take_reported(void);

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_STATUS_TRACK_H
