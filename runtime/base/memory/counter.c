//===- counter.c - Counting what is alive -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/memory/counter.h"

#include "base/memory/memory.h"

#include <pthread.h>
#include <stddef.h>

AGPU__HOT_THREAD_LOCAL agpu__counter_cells *agpu__own_cells;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static agpu__counter_cells *all;
static int64_t of_ended[AGPU__COUNTERS]; // what threads that ended have counted

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/// At the end of a thread. Should it count again after this, it gets new
/// cells, and this is called again.
static void retire(void *data) {
  agpu__counter_cells *cells = data;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < AGPU__COUNTERS; ++i)
    of_ended[i] +=
        atomic_load_explicit(&cells->values[i], memory_order_relaxed);
  if (cells->previous)
    cells->previous->next = cells->next;
  else
    all = cells->next;
  if (cells->next)
    cells->next->previous = cells->previous;
  pthread_mutex_unlock(&lock);
  agpu__own_cells = NULL;
  agpu__memory_free(cells);
}

static void create_key(void) { (void)pthread_key_create(&key, retire); }

agpu__counter_cells *agpu__counter_register(void) {
  (void)pthread_once(&once, create_key);
  agpu__counter_cells *cells =
      agpu__memory_alloc(sizeof(*cells), AGPU__CACHE_LINE, "a thread's counts");
  for (int i = 0; i < AGPU__COUNTERS; ++i)
    atomic_init(&cells->values[i], 0);
  // Should this fail, the cells outlive the thread, and still count.
  (void)pthread_setspecific(key, cells);
  agpu__own_cells = cells;
  pthread_mutex_lock(&lock);
  cells->previous = NULL;
  cells->next = all;
  if (all)
    all->previous = cells;
  all = cells;
  pthread_mutex_unlock(&lock);
  return cells;
}

int64_t agpu__counter_read(agpu__counter counter) {
  pthread_mutex_lock(&lock);
  int64_t sum = of_ended[counter];
  for (const agpu__counter_cells *cells = all; cells; cells = cells->next)
    sum += atomic_load_explicit(&cells->values[counter], memory_order_relaxed);
  pthread_mutex_unlock(&lock);
  return sum;
}

void agpu__counter_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE)
    pthread_mutex_lock(&lock);
  else
    pthread_mutex_unlock(&lock);
}
