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
#include "exec/task.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agpu__injector {
  AGPU__CACHE_ALIGNED pthread_mutex_t lock;
  agpu__task *ring;
  size_t capacity; // a power of two, or 0
  size_t head;     // index of the oldest, modulo capacity
  /// Changed under the lock, read without.
  AGPU__CACHE_ALIGNED atomic_size_t count;
} agpu__injector;

void agpu__injector_init(agpu__injector *injector);

/// Frees the memory; tasks left are forgotten. No other thread uses it.
void agpu__injector_destroy(agpu__injector *injector);

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
