//===- outside.h - Tasks of all threads without a deque ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread that submits tasks and has no seat gets an outbox; what does not
// find room there goes into a common queue under a lock.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_OUTSIDE_H
#define ASYNC_GPU_RUNTIME_EXEC_OUTSIDE_H

#include "base/fork.h"
#include "exec/task.h"

#include <stdbool.h>
#include <stddef.h>

/// Makes the common queue, before the calls that follow.
void agpu__outside_init(void);

/// Frees the common queue; tasks left are forgotten. No thread submits any
/// more.
void agpu__outside_destroy(void);

/// Adds a task. Any thread. Ends the process where memory is out.
void agpu__outside_push(agpu__task task);

/// Takes tasks of one thread, or of the common queue, as agpu__outbox_take
/// does. Calls with different `start` begin with different threads. Any thread.
size_t agpu__outside_take(size_t start, size_t share, size_t limit,
                          agpu__task *tasks);

/// Takes the oldest task in the calling thread's outbox if it is brief.
bool agpu__outside_take_own_brief(agpu__task *out_task);

/// Sequentially consistent with pushes, as agpu__deque_is_empty.
bool agpu__outside_is_empty(void);

/// At a fork. The child has empty outboxes, and the parent's common queue,
/// which agpu__outside_destroy forgets.
void agpu__outside_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_EXEC_OUTSIDE_H
