//===- injector.c - Tasks from outside the executor ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring under a lock, which grows when it is full. Only the count is read
// without the lock, so that a thread that looks for work does not write to the
// line.
//
//===----------------------------------------------------------------------===//

#include "exec/queue/injector.h"

#include "base/memory/memory.h"
#include "base/report/assert.h"

#include <stdint.h>

#define INITIAL_CAPACITY 256

AGPU__UNCHECKED_LOCKS void agpu__injector_forget(agpu__injector *injector) {
  agpu__memory_free(injector->ring);
  injector->ring = NULL;
  injector->capacity = injector->head = 0;
  atomic_store_explicit(&injector->count, 0, memory_order_relaxed);
}

static void grow(agpu__injector *injector, size_t count)
    AGPU__REQUIRES(injector->lock) {
  AGPU__ASSERT_HELD(&injector->lock);
  size_t capacity =
      injector->capacity ? injector->capacity * 2 : INITIAL_CAPACITY;
  agpu__task *ring =
      agpu__memory_alloc((int64_t)(capacity * sizeof(*ring)),
                         _Alignof(agpu__task), "a queue of tasks");
  for (size_t i = 0; i < count; ++i)
    ring[i] = injector->ring[(injector->head + i) & (injector->capacity - 1)];
  agpu__memory_free(injector->ring);
  injector->ring = ring;
  injector->capacity = capacity;
  injector->head = 0;
}

void agpu__injector_push(agpu__injector *injector, agpu__task task) {
  agpu__mutex_lock(&injector->lock);
  size_t count = atomic_load_explicit(&injector->count, memory_order_relaxed);
  if (count == injector->capacity)
    grow(injector, count);
  injector->ring[(injector->head + count) & (injector->capacity - 1)] = task;
  // seq_cst for the sleepers' protocol, see agpu__injector_is_empty.
  atomic_store_explicit(&injector->count, count + 1, memory_order_seq_cst);
  agpu__mutex_unlock(&injector->lock);
}

size_t agpu__injector_take(agpu__injector *injector, size_t share, size_t limit,
                           agpu__task *tasks) {
  AGPU__ASSERT(share > 0 && limit > 0);
  if (agpu__injector_is_empty(injector))
    return 0;
  agpu__mutex_lock(&injector->lock);
  size_t count = atomic_load_explicit(&injector->count, memory_order_relaxed);
  size_t taken = (count + share - 1) / share;
  if (taken > limit)
    taken = limit;
  for (size_t i = 0; i < taken; ++i)
    tasks[i] = injector->ring[(injector->head + i) & (injector->capacity - 1)];
  injector->head += taken;
  // A reader of an older count takes the lock for nothing.
  atomic_store_explicit(&injector->count, count - taken, memory_order_relaxed);
  agpu__mutex_unlock(&injector->lock);
  return taken;
}

bool agpu__injector_is_empty(agpu__injector *injector) {
  return atomic_load_explicit(&injector->count, memory_order_seq_cst) == 0;
}
