//===- outbox.h - Tasks of a thread without a deque -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue, first in first out, that one thread, the owner, puts tasks into and
// any threads take batches from: a thread that is not a worker leaves what it
// spawns there. It has room for a fixed number.
//
// Ownership may move from thread to thread, as long as the old owner's last
// call happens before the new owner's first.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTBOX_H
#define ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTBOX_H

#include "base/os/platform.h"
#include "exec/queue/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A power of two, and room for as many as a spawner may be ahead
/// (exec/relief.c). A test has a smaller one.
#ifndef AGPU__OUTBOX_CAPACITY
#define AGPU__OUTBOX_CAPACITY 2048
#endif

/// So many bits of an index are told by tickets (outside.c): a thread that
/// queues ten million tasks a second begins anew after a day.
#define AGPU__OUTBOX_TOLD_BITS 40
#define AGPU__OUTBOX_TOLD_MASK ((UINT64_C(1) << AGPU__OUTBOX_TOLD_BITS) - 1)

typedef struct agpu__outbox_slot {
  _Atomic(void *) handle;
  _Atomic(uintptr_t) resume;
  _Atomic(uint64_t) names;
} agpu__outbox_slot;

typedef struct agpu__outbox {
  /// Index of the oldest. Only grows.
  AGPU__CACHE_APART _Atomic(uint64_t) head;
  /// Index of the next. Written by the owner alone.
  AGPU__CACHE_APART _Atomic(uint64_t) tail;
  uint64_t known_head; ///< the owner's: `head` was at least that
  /// Odd from before the owner takes a task to run it until that has ended.
  _Atomic(uint64_t) helps;
  /// Times the owner has come to help, and found nothing left. Relaxed.
  _Atomic(uint64_t) late;
  AGPU__CACHE_APART agpu__outbox_slot slots[AGPU__OUTBOX_CAPACITY];
} agpu__outbox;

/// Makes an empty outbox.
void agpu__outbox_init(agpu__outbox *outbox);

/// Adds a task with its names (agpu__names), and tells its index. Owner only.
/// False where there is no room.
bool agpu__outbox_push(agpu__outbox *outbox, agpu__task task, uint64_t names,
                       uint64_t *out_index);

/// Takes up to `limit` tasks, oldest first, but no more than the `share`-th
/// part of what is there (rounded up), into `tasks`; returns how many. Any
/// thread.
size_t agpu__outbox_take(agpu__outbox *outbox, size_t share, size_t limit,
                         agpu__task *tasks);

/// The indices of the oldest task and of the next to come, at some time each;
/// never `*out_head` > `*out_tail`. Any thread.
void agpu__outbox_look(agpu__outbox *outbox, uint64_t *out_head,
                       uint64_t *out_tail);

/// Takes the oldest if it is brief or has the name (0: no matter), or is one of
/// the `count` tasks from index `first`, as far as that is told. Owner only,
/// which helps from then on until agpu__outbox_end_help.
bool agpu__outbox_begin_help(agpu__outbox *outbox, agpu__wanted wanted,
                             agpu__task *out_task);

/// Owner only. What it has done before is visible to a thread that sees the
/// end.
void agpu__outbox_end_help(agpu__outbox *outbox);

/// A number that only grows: odd while the owner helps, and another one after
/// that. Who saw a task in the outbox that the owner has taken since then does
/// not see a number from before. Any thread.
uint64_t agpu__outbox_helps(agpu__outbox *outbox);

/// Sequentially consistent with pushes, as agpu__deque_is_empty.
bool agpu__outbox_is_empty(agpu__outbox *outbox);

#endif // ASYNC_GPU_RUNTIME_EXEC_QUEUE_OUTBOX_H
