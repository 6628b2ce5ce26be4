//===- loop_interleaved.c - Loops that threads join in all interleavings --===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/park.c"

#define AGPU__LOOP_END_POLLS 1
#define AGPU__LOOPS 2
#include "exec/loop/loop.c"

#include "check.h"

#include <string.h>

// What loop.c needs of the executor.

int64_t agpu__clock_now_ns(void) { return 0; }
int64_t agpu__clock_machine_ns(void) { return 0; }

void agpu__exec_wait(agpu__parker *parker, agpu__wanted wanted) {
  (void)wanted;
  (void)agpu__parker_wait(parker, AGPU__EXEC_DONE);
}

#define ITERATIONS 3
#define LOOPS_RUN 2

/// Iterations of each loop that have begun and ended.
static int begun[LOOPS_RUN][ITERATIONS], ended[LOOPS_RUN][ITERATIONS];
static bool closed[LOOPS_RUN];

static void body(void *context, int64_t first, int64_t last) {
  int loop = (int)(intptr_t)context;
  CHECK(!closed[loop]);
  for (int64_t i = first; i < last; ++i)
    ++begun[loop][i];
  interleave_gap();
  CHECK(!closed[loop]);
  for (int64_t i = first; i < last; ++i)
    ++ended[loop][i];
}

static void begin(void) {
  memset(begun, 0, sizeof(begun));
  memset(ended, 0, sizeof(ended));
  memset(closed, 0, sizeof(closed));
}

static void run_loop(int number) {
  agpu__loop *loop = agpu__loop_acquire();
  CHECK(loop);
  loop->count = ITERATIONS;
  loop->unit = 1;
  loop->unit_count = ITERATIONS;
  loop->range_count = 2;
  loop->body = body;
  loop->context = (void *)(intptr_t)number;
  agpu__loop_open(loop);
  agpu__loop_run(loop, 0);
  agpu__loop_close(loop);
  closed[number] = true;
  for (int i = 0; i < ITERATIONS; ++i)
    CHECK(begun[number][i] == 1 && ended[number][i] == 1);
}

static int loops; ///< that thread 0 runs

/// Thread 0 runs one loop after the other, with the same memory; the others
/// join what they find, in time or too late.
static void work(int thread) {
  if (thread == 0) {
    for (int loop = 0; loop < loops; ++loop)
      run_loop(loop);
  } else {
    uint32_t rank = agpu__loop_take_rank();
    agpu__loop_join_all(rank);
    agpu__loop_give_rank(rank);
  }
}

static void end(void) {
  for (size_t i = 0; i < AGPU__LOOPS; ++i)
    CHECK(!agpu__the_loops.all[i].open && !agpu__the_loops.all[i].owned);
  CHECK_EQ(agpu__the_loops.ranks, 1);
}

static void run_all(int loop_count, int preemptions) {
  loops = loop_count;
  long runs = interleave(&(interleaving){.threads = 3,
                                         .preemptions = preemptions,
                                         .begin = begin,
                                         .run = work,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
}

int main(void) {
  run_all(LOOPS_RUN, 2);
  // The owner sleeps, and two threads leave.
  run_all(1, INTERLEAVE_BOUND(3, 2));
  return 0;
}
