//===- tasks.h - Queueing, finding and running a task -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_TASKS_H
#define ASYNC_GPU_RUNTIME_EXEC_TASKS_H

#include "exec/queue/task.h"

#include <stdbool.h>

/// Puts a task where other threads can take it, and wakes one if need be. The
/// executor has been started. Any thread.
void agpu__exec_queue(agpu__task task);

/// The same with what the calling thread was to run next, if there is any.
void agpu__exec_queue_next(void);

/// Looks for a task: in the thread's seat if it has one, among those from
/// outside, at the other seats. `patient`: lets some be for a moment (see
/// agpu__outside_take).
bool agpu__exec_find(bool patient, agpu__task *out_task);

/// Runs a task on this thread.
void agpu__exec_run(agpu__task task);

/// The same, and then what agpu__exec_find would find in the thread's own seat,
/// until that has nothing, or it is another's turn. Not on top of anything.
void agpu__exec_run_with_own(agpu__task task);

/// A task has returned in the child of a fork that it made: whoever ran it is
/// the parent's.
_Noreturn void agpu__exec_end_orphan(void);

#endif // ASYNC_GPU_RUNTIME_EXEC_TASKS_H
