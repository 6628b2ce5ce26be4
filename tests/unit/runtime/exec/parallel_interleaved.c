//===- parallel_interleaved.c - Parallel loops in all interleavings -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops as a whole: threads that run some, and workers that do nothing
// but run the helpers that are queued. A run fails where an iteration runs
// twice or not at all, where one still runs when its loop has returned, where a
// helper stays counted or keeps its rank, and where a loop whose iterations
// wait for each other finds nobody although a worker is free.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/sync/park.c"

#define AGPU__LOOP_END_POLLS 1
#define AGPU__LOOP_STAY_POLLS 1
#define AGPU__LOOPS 2
#include "exec/loop/loop.c"
#include "exec/loop/parallel.c"

#include "check.h"

#include <string.h>

//===----------------------------------------------------------------------===//
// What loops need of the executor
//===----------------------------------------------------------------------===//

/// Whoever waits for some time waits in vain.
INTERLEAVE_UNSEEN int64_t agpu__clock_now_ns(void) {
  static int64_t now;
  return now += AGPU__NS_PER_SECOND;
}
INTERLEAVE_UNSEEN int64_t agpu__clock_machine_ns(void) {
  return agpu__clock_now_ns();
}

void agpu__exec_wait(agpu__parker *parker, agpu__wanted wanted) {
  (void)wanted;
  (void)agpu__parker_wait(parker, AGPU__EXEC_DONE);
}

static int64_t workers;     ///< that the executor says it has
static _Atomic(int) queued; ///< helpers

int64_t agpu__exec_worker_count(void) { return workers; }

void agpu__exec_submit(agpu__task task) {
  CHECK(task.resume == help);
  atomic_fetch_add_explicit(&queued, 1, memory_order_release);
}

bool agpu__exec_has_work(void) {
  return atomic_load_explicit(&queued, memory_order_relaxed) > 0;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

#define LOOPS 4
#define ITERATIONS 3

typedef struct program {
  const char *name;
  int owners;  ///< threads that run loops; the others are workers
  int threads; ///< in all
  int preemptions;
  void (*run)(int owner);
} program;

static const program *current;
static _Atomic(int) owners_left;

typedef struct loop_state {
  int count;
  bool has_returned;
  int begun[ITERATIONS], ended[ITERATIONS];
} loop_state;

static loop_state states[LOOPS];

static bool others_have_begun(const void *data) {
  const loop_state *state = data;
  for (int i = 1; i < state->count; ++i)
    if (!state->begun[i])
      return false;
  return true;
}

static void begin_iterations(loop_state *state, int64_t first, int64_t last) {
  CHECK(!state->has_returned && last <= state->count);
  for (int64_t i = first; i < last; ++i)
    ++state->begun[i];
}

static void end_iterations(loop_state *state, int64_t first, int64_t last) {
  interleave_gap();
  CHECK(!state->has_returned);
  for (int64_t i = first; i < last; ++i)
    ++state->ended[i];
}

static void count_up(void *data, int64_t first, int64_t last) {
  begin_iterations(data, first, last);
  end_iterations(data, first, last);
}

/// The first iteration needs all others to have begun: threads that are not its
/// own do that.
static void wait_for_others(void *data, int64_t first, int64_t last) {
  begin_iterations(data, first, last);
  if (first == 0)
    interleave_rest(others_have_begun, data);
  end_iterations(data, first, last);
}

static void run_loop(int number, int count, agpu__loop_body body) {
  loop_state *state = &states[number];
  state->count = count;
  agpu__exec_parallel_for(count, 1, body, state);
  state->has_returned = true;
  for (int i = 0; i < count; ++i)
    CHECK(state->begun[i] == 1 && state->ended[i] == 1);
}

/// One after the other: helpers of the first stay for the second, or go.
static void run_two(int owner) {
  (void)owner;
  run_loop(0, 2, wait_for_others);
  run_loop(1, 2, wait_for_others);
}

static void run_three_wide(int owner) {
  (void)owner;
  run_loop(0, 3, wait_for_others);
}

/// At the same time, with one helper for both.
static void run_each(int owner) { run_loop(owner, 2, wait_for_others); }

/// A loop in an iteration of another.
static void nest(void *data, int64_t first, int64_t last) {
  begin_iterations(data, first, last);
  if (first == 0)
    run_loop(1, 2, count_up);
  end_iterations(data, first, last);
}

static void run_nested(int owner) {
  (void)owner;
  run_loop(0, 2, nest);
}

/// More loops than there is room for: one runs on its own thread alone.
static void nest_deeper(void *data, int64_t first, int64_t last) {
  begin_iterations(data, first, last);
  int next = (int)((loop_state *)data - states) + 1;
  if (first == 0 && next < 3)
    run_loop(next, 2, next < 2 ? nest_deeper : count_up);
  end_iterations(data, first, last);
}

static void run_too_many(int owner) {
  (void)owner;
  run_loop(0, 2, nest_deeper);
}

static const program programs[] = {
    {"two loops", 1, 2, INTERLEAVE_BOUND(4, 3), run_two},
    {"two loops, a worker more", 1, 3, INTERLEAVE_BOUND(2, 1), run_two},
    {"three wide", 1, 3, INTERLEAVE_BOUND(2, 1), run_three_wide},
    {"two owners", 2, 3, INTERLEAVE_BOUND(2, 1), run_each},
    {"nested", 1, 2, INTERLEAVE_BOUND(3, 2), run_nested},
    {"too many", 1, 2, INTERLEAVE_BOUND(3, 2), run_too_many},
};

static bool has_helper_or_end(const void *unused) {
  (void)unused;
  return queued > 0 || owners_left == 0;
}

/// What is read by adding is the newest.
static bool take_helper(void) {
  int before = atomic_fetch_add_explicit(&queued, 0, memory_order_relaxed);
  while (before > 0)
    if (atomic_compare_exchange_strong_explicit(&queued, &before, before - 1,
                                                memory_order_acquire,
                                                memory_order_relaxed))
      return true;
  return false;
}

static void work(int thread) {
  if (thread < current->owners) {
    current->run(thread);
    atomic_fetch_sub_explicit(&owners_left, 1, memory_order_relaxed);
    return;
  }
  for (;;) {
    interleave_rest(has_helper_or_end, NULL);
    if (take_helper())
      help(NULL);
    else if (atomic_fetch_add_explicit(&owners_left, 0, memory_order_relaxed) ==
             0)
      return;
  }
}

static void begin(void) {
  memset(states, 0, sizeof(states));
  queued = 0;
  workers = 1 + current->threads - current->owners;
  owners_left = current->owners;
}

static void end(void) {
  CHECK_EQ(queued, 0);
  CHECK_EQ(agpu__the_loops.helpers, 0);
  CHECK_EQ(agpu__the_loops.ranks, 1);
  for (size_t i = 0; i < AGPU__LOOPS; ++i)
    CHECK(!agpu__the_loops.all[i].open && !agpu__the_loops.all[i].owned);
}

int main(void) {
  for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); ++i) {
    current = &programs[i];
    long runs = interleave(&(interleaving){.threads = current->threads,
                                           .preemptions = current->preemptions,
                                           .stale = 1,
                                           .begin = begin,
                                           .run = work,
                                           .end = end});
    printf("%s: %ld runs\n", current->name, runs);
    CHECK(runs > 100);
  }
  return 0;
}
