//===- injector.h - Tasks from outside the executor -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue, first in first out, for tasks that find no other. Under a lock.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_QUEUE_INJECTOR_H
#define ASYNC_GPU_RUNTIME_EXEC_QUEUE_INJECTOR_H

#include "base/os/platform.h"
#include "base/sync/mutex.h"
#include "exec/queue/task.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agpu__injector {
  AGPU__CACHE_ALIGNED agpu__mutex lock;
  agpu__task *ring AGPU__GUARDED_BY(lock);
  size_t capacity AGPU__GUARDED_BY(lock); ///< a power of two, or 0
  /// Index of the oldest, modulo capacity.
  size_t head AGPU__GUARDED_BY(lock);
  /// Changed under the lock, read without.
  AGPU__CACHE_ALIGNED atomic_size_t count;
} agpu__injector;

#define AGPU__INJECTOR_INIT {.lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC_INJECTOR)}

/// Makes it empty again and frees its memory; tasks left are forgotten. No
/// other thread uses it meanwhile.
void agpu__injector_forget(agpu__injector *injector);

/// Adds a task. Any thread. Ends the process where memory is out.
void agpu__injector_push(agpu__injector *injector, agpu__task task);

/// Takes up to `limit` tasks, oldest first, but no more than the `share`-th
/// part of what is there (rounded up), into `tasks`; returns how many. Any
/// thread.
size_t agpu__injector_take(agpu__injector *injector, size_t share, size_t limit,
                           agpu__task *tasks);

/// Sequentially consistent with pushes, as agpu__deque_is_empty.
bool agpu__injector_is_empty(agpu__injector *injector);

#endif // ASYNC_GPU_RUNTIME_EXEC_QUEUE_INJECTOR_H
