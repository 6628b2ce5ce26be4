//===- outside.h - Tasks of all threads without a deque ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread that submits tasks and has no seat gets an outbox; what does not
// find room there goes into a common queue: a deque whose owner is whoever has
// the lock, and from which all steal.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTSIDE_H
#define ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTSIDE_H

#include "base/os/fork.h"
#include "base/sync/mutex.h"
#include "exec/queue/deque.h"
#include "exec/queue/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agpu__outbox;

/// Threads beyond use the common queue.
#define AGPU__OUTBOXES 64

typedef struct agpu__outside {
  agpu__deque common;
  agpu__mutex common_lock; ///< of who adds to it
  _Atomic(struct agpu__outbox *) outboxes[AGPU__OUTBOXES];
  /// How many there are. seq_cst: a taker that reads it after a push to a new
  /// outbox sees that one.
  _Atomic(size_t) count;
  agpu__mutex lock;
  bool owned[AGPU__OUTBOXES] AGPU__GUARDED_BY(lock);
} agpu__outside;

#define AGPU__OUTSIDE_INIT                                                     \
  {.common_lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC_COMMON),                    \
   .lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC_OUTSIDE)}

/// Before any task is submitted: makes the common queue. Ends the process where
/// memory is out.
void agpu__outside_begin(agpu__outside *outside);

/// Frees it; tasks left are forgotten. No thread submits any meanwhile.
void agpu__outside_forget(agpu__outside *outside);

/// What a thief has seen of a thread's tasks when it left them alone.
typedef struct agpu__backoff {
  size_t outbox; ///< its number, from 1; 0: none
  uint64_t head, tail;
  uint32_t looks;
  uint32_t in_vain; ///< how often some were left since any were taken
  /// Tasks that were left for nothing, one after the other; and `late` of the
  /// outbox.
  uint32_t for_nothing;
  uint64_t late;
} agpu__backoff;

/// Whether a task that is alone is taken at once.
#define AGPU__LESSONS 4
static inline bool agpu__backoff_is_over(const agpu__backoff *of) {
  return of->for_nothing == AGPU__LESSONS;
}

/// Adds a task, with the names that the thread has said
/// (agpu__hot.exec.names). Its names and ticket are the thread's last then,
/// unless it goes into the common queue, whose tasks have none. Any thread,
/// which has one such object at most. Ends the process where memory is out.
void agpu__outside_push(agpu__outside *outside, agpu__task task);

/// Takes tasks of one thread, or of the common queue, as agpu__outbox_take
/// does. Calls with different `start` begin with different threads. Any thread.
///
/// With `backoff`, which is the caller's own, few tasks of one thread are left
/// alone while they change from one call to the next, since their spawner is
/// adding to them, or runs them itself: so more tasks are taken each time that
/// its cache lines move to another CPU. A task is left for a bounded number of
/// calls; and one alone not at all where it was for nothing with those before:
/// their spawner has neither added more nor come to run them.
size_t agpu__outside_take(agpu__outside *outside, size_t start, size_t share,
                          size_t limit, agpu__backoff *backoff,
                          agpu__task *tasks);

/// Takes the oldest task in the calling thread's outbox if it is brief or
/// wanted. The thread helps from then on until agpu__outside_end_help.
bool agpu__outside_begin_help(agpu__wanted wanted, agpu__task *out_task);
void agpu__outside_end_help(void);

/// Whether any thread helps. `out_helps` is another number where one has helped
/// since the last call. As agpu__outbox_helps. Any thread.
bool agpu__outside_has_help(agpu__outside *outside, uint64_t *out_helps);

/// How many tasks are in the calling thread's outbox; 0 where it has none.
size_t agpu__outside_count_own(void);

/// Sequentially consistent with pushes, as agpu__deque_is_empty.
bool agpu__outside_is_empty(agpu__outside *outside);

/// At a fork. The child has empty outboxes, and the parent's common queue,
/// which agpu__outside_forget forgets.
void agpu__outside_fork(agpu__outside *outside, agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTSIDE_H
