//===- injector.c - Tasks from outside the executor ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/injector.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdint.h>
#include <time.h>

#define INITIAL_CAPACITY 256

void agpu__injector_init(agpu__injector *injector) {
  pthread_mutex_init(&injector->lock, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&injector->taken, &monotonic);
  pthread_condattr_destroy(&monotonic);
  injector->waiting = 0;
  injector->awaited = 0;
  injector->ring = NULL;
  injector->capacity = 0;
  injector->head = 0;
  atomic_init(&injector->count, 0);
}

void agpu__injector_destroy(agpu__injector *injector) {
  agpu__memory_free(injector->ring);
  pthread_cond_destroy(&injector->taken);
  pthread_mutex_destroy(&injector->lock);
}

static void grow(agpu__injector *injector, size_t count) {
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
  pthread_mutex_lock(&injector->lock);
  size_t count = atomic_load_explicit(&injector->count, memory_order_relaxed);
  if (count == injector->capacity)
    grow(injector, count);
  injector->ring[(injector->head + count) & (injector->capacity - 1)] = task;
  // seq_cst for the sleepers' protocol, see agpu__injector_is_empty.
  atomic_store_explicit(&injector->count, count + 1, memory_order_seq_cst);
  pthread_mutex_unlock(&injector->lock);
}

size_t agpu__injector_take(agpu__injector *injector, size_t share, size_t limit,
                           agpu__task *tasks) {
  if (agpu__injector_is_empty(injector))
    return 0;
  pthread_mutex_lock(&injector->lock);
  size_t count = atomic_load_explicit(&injector->count, memory_order_relaxed);
  size_t taken = (count + share - 1) / share;
  if (taken > limit)
    taken = limit;
  for (size_t i = 0; i < taken; ++i)
    tasks[i] = injector->ring[(injector->head + i) & (injector->capacity - 1)];
  injector->head += taken;
  atomic_store_explicit(&injector->count, count - taken, memory_order_seq_cst);
  if (injector->waiting > 0 && count - taken <= injector->awaited)
    pthread_cond_broadcast(&injector->taken);
  pthread_mutex_unlock(&injector->lock);
  return taken;
}

size_t agpu__injector_size(agpu__injector *injector) {
  return atomic_load_explicit(&injector->count, memory_order_relaxed);
}

bool agpu__injector_wait(agpu__injector *injector, size_t count,
                         int64_t limit_ns) {
  struct timespec limit;
  (void)clock_gettime(CLOCK_MONOTONIC, &limit);
  limit.tv_nsec += limit_ns;
  if (limit.tv_nsec >= AGPU__NS_PER_SECOND) {
    limit.tv_nsec -= AGPU__NS_PER_SECOND;
    ++limit.tv_sec;
  }
  pthread_mutex_lock(&injector->lock);
  ++injector->waiting;
  if (injector->awaited < count)
    injector->awaited = count;
  int late = 0;
  while (!late && agpu__injector_size(injector) > count)
    late = pthread_cond_timedwait(&injector->taken, &injector->lock, &limit);
  if (--injector->waiting == 0)
    injector->awaited = 0;
  pthread_mutex_unlock(&injector->lock);
  return !late;
}

bool agpu__injector_is_empty(agpu__injector *injector) {
  return atomic_load_explicit(&injector->count, memory_order_seq_cst) == 0;
}
