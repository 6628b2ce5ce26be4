//===- counter.c - Counting what is alive -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cells of all threads are on a list; a thread that ends leaves what it has
// counted in a sum.
//
//===----------------------------------------------------------------------===//

#include "base/memory/counter.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"

#include <stddef.h>

static struct {
  agpu__mutex lock;
  LIST_HEAD(, agpu__counter_cells) cells AGPU__GUARDED_BY(lock);
  /// What threads that ended have counted.
  int64_t of_ended[AGPU__COUNTERS] AGPU__GUARDED_BY(lock);
} counters = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_COUNTERS)};

/// At the end of a thread. Should it count again after this, it gets new cells,
/// and this is called again.
static void retire(void) {
  agpu__counter_cells *cells = agpu__hot.counts;
  agpu__hot.counts = NULL;
  agpu__mutex_lock(&counters.lock);
  for (int i = 0; i < AGPU__COUNTERS; ++i)
    counters.of_ended[i] +=
        atomic_load_explicit(&cells->values[i], memory_order_relaxed);
  LIST_REMOVE(cells, link);
  agpu__mutex_unlock(&counters.lock);
  agpu__memory_free(cells);
}

agpu__counter_cells *agpu__counter_register(void) {
  agpu__counter_cells *cells =
      agpu__memory_alloc(sizeof(*cells), AGPU__CACHE_LINE, "a thread's counts");
  for (int i = 0; i < AGPU__COUNTERS; ++i)
    atomic_init(&cells->values[i], 0);
  agpu__hot.counts = cells;
  // Should this fail, the cells outlive the thread, and still count.
  (void)agpu__self_at_end(AGPU__PART_COUNTER, retire);
  agpu__mutex_lock(&counters.lock);
  LIST_INSERT_HEAD(&counters.cells, cells, link);
  agpu__mutex_unlock(&counters.lock);
  return cells;
}

int64_t agpu__counter_read(agpu__counter counter) {
  agpu__mutex_lock(&counters.lock);
  int64_t sum = counters.of_ended[counter];
  const agpu__counter_cells *cells;
  LIST_FOREACH (cells, &counters.cells, link)
    sum += atomic_load_explicit(&cells->values[counter], memory_order_relaxed);
  agpu__mutex_unlock(&counters.lock);
  return sum;
}

void agpu__counter_fork(agpu__fork_step step) {
  agpu__mutex_fork(&counters.lock, step);
}
