//===- counter.h - Counting what is alive -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters that many threads change often and few read. Each thread has cells
// of its own, which it alone writes: to count is a load and a store. A reader
// sums up all cells. The sum is exact once the threads have stopped counting;
// until then it is what it was at some time for each thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_MEMORY_COUNTER_H
#define ASYNC_GPU_RUNTIME_BASE_MEMORY_COUNTER_H

#include "base/os/fork.h"
#include "base/os/platform.h"
#include "base/os/self.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/queue.h>

/// What the runtime counts: one cache line for each thread.
typedef enum agpu__counter {
  AGPU__COUNT_TOKENS, ///< alive
  AGPU__COUNT_VALUES,
  AGPU__COUNT_GROUPS,
  AGPU__COUNT_FRAMES, ///< of coroutines
  AGPU__COUNT_TASKS,  ///< queued, running or suspended; see exec/executor.h
  AGPU__COUNTERS,
} agpu__counter;

/// One thread's part of the sums.
typedef struct agpu__counter_cells {
  AGPU__CACHE_ALIGNED _Atomic(int64_t) values[AGPU__COUNTERS];
  LIST_ENTRY(agpu__counter_cells) link; ///< of all threads
} agpu__counter_cells;

/// Gives the calling thread its cells. Ends the process where memory is out.
agpu__counter_cells *agpu__counter_register(void);

/// Adds `delta`. Any thread.
static inline void agpu__counter_add(agpu__counter counter, int64_t delta) {
  agpu__counter_cells *own = agpu__hot.counts;
  if (!own)
    own = agpu__counter_register();
  // No other thread writes the cell, so this needs no read-modify-write.
  _Atomic(int64_t) *value = &own->values[counter];
  atomic_store_explicit(
      value, atomic_load_explicit(value, memory_order_relaxed) + delta,
      memory_order_relaxed);
}

/// The sum. Takes a lock and looks at every thread's cells. Any thread.
int64_t agpu__counter_read(agpu__counter counter);

/// At a fork. What all threads of the parent have counted counts in the child
/// too.
void agpu__counter_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_COUNTER_H
