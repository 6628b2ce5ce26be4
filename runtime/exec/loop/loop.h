//===- loop.h - Loops that threads can join ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is owned by the thread that runs it, which lends its iterations to
// any thread that joins while it is open. See loop.c.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EXEC_LOOP_LOOP_H
#define ASYNC_GPU_RUNTIME_EXEC_LOOP_LOOP_H

#include "base/sync/park.h"
#include "exec/loop/parallel.h"
#include "exec/loop/range.h"

/// Ranges of one loop, and ranks.
#define AGPU__LOOP_RANGES 64

/// Loops open at the same time. Those beyond run on their own thread alone.
#ifndef AGPU__LOOPS // a test has fewer
#define AGPU__LOOPS 16
#endif

typedef struct agpu__loop {
  /// Whether threads may join, and touch what follows; see loop.c.
  AGPU__CACHE_APART atomic_bool open;
  atomic_bool owned;
  /// Threads that the owner waits for, and itself until it sleeps.
  atomic_uint waited_for;
  agpu__parker *owner; ///< to be signalled by the last of them
  agpu__loop_body body;
  void *context;
  int64_t count;       ///< iterations
  int64_t unit;        ///< iterations that stay together
  uint32_t unit_count; ///< count / unit, rounded up
  uint32_t range_count;
  agpu__range ranges[AGPU__LOOP_RANGES]; ///< of units
} agpu__loop;

/// Where the thread of a rank is: the number of a loop, from 1, or 0. A line
/// each, as threads write theirs at the same time.
typedef struct agpu__loop_place {
  AGPU__CACHE_APART atomic_uint loop;
} agpu__loop_place;

/// All loops of the process.
typedef struct agpu__loops {
  agpu__loop all[AGPU__LOOPS];
  agpu__loop_place places[AGPU__LOOP_RANGES]; ///< by rank
  /// loop.c: counts openings. On a line of its own: threads poll it.
  AGPU__CACHE_APART atomic_uint bell;
  /// parallel.c: helpers that are queued or run.
  AGPU__CACHE_APART atomic_uint helpers;
  /// Ranks that are taken: a bit each, from bit 1 (rank 0 is a loop's owner).
  _Atomic(uint64_t) ranks;
} agpu__loops;

extern agpu__loops agpu__the_loops;

/// A loop for the calling thread to fill in, or NULL if none is left.
agpu__loop *agpu__loop_acquire(void);

/// Lets others join from now on.
void agpu__loop_open(agpu__loop *loop);

/// A rank for the calling thread, which no other thread has until it is given
/// back; 0 where there is none left.
uint32_t agpu__loop_take_rank(void);
void agpu__loop_give_rank(uint32_t rank);

/// Runs iterations until none is left that no one has taken. `rank` says which
/// range to begin with. The owner, or a thread that has joined.
void agpu__loop_run(agpu__loop *loop, uint32_t rank);

/// The owner: lets no one join any more, waits for those that have, and gives
/// the loop back. What the iterations wrote is then visible.
void agpu__loop_close(agpu__loop *loop);

/// Joins and runs iterations of every loop that is open. A thread with a rank
/// (not 0).
void agpu__loop_join_all(uint32_t rank);

/// Changes after a loop was opened. Sequentially consistent. Any thread.
uint32_t agpu__loop_bell(void);

/// Closes all loops and gives them back. While no other thread runs.
void agpu__loop_forget_all(void);

#endif // ASYNC_GPU_RUNTIME_EXEC_LOOP_LOOP_H
