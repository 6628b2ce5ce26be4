//===- interleave.c - All interleavings of a few threads ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are contexts on one thread of the system. A run is told by the
// choices made at its steps. The next run repeats them up to the last one that
// has an alternative left, and takes that (depth-first search).
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <ucontext.h>

#define THREADS 4
#define STACK (64 * 1024)
#define STEPS 1000

static const interleaving *test;
static ucontext_t scheduler, contexts[THREADS];
static bool done[THREADS];
static int current = -1; // the thread that runs; -1 outside

// A choice is one of the threads that can go on, counted from the current one.
static int choices[STEPS], options[STEPS];
static int steps, preempted;

void interleave_step(void) {
  if (current >= 0)
    CHECK(swapcontext(&contexts[current], &scheduler) == 0);
}

static void enter(void) {
  test->run(current);
  done[current] = true;
}

/// The `choice`-th thread that can go on, from `first`; -1 if there are not so
/// many.
static int pick(int first, int choice) {
  for (int i = 0; i < test->threads; ++i) {
    int thread = (first + i) % test->threads;
    if (!done[thread] && choice-- == 0)
      return thread;
  }
  return -1;
}

static int count_options(int last) {
  int count = 0;
  while (pick(last, count) >= 0)
    ++count;
  // To go on with another thread although the last one could: a preemption.
  if (!done[last] && preempted == test->preemptions && count > 1)
    count = 1;
  return count;
}

static void run_once(void) {
  static char *stacks[THREADS];
  test->begin();
  for (int i = 0; i < test->threads; ++i) {
    if (!stacks[i])
      stacks[i] = malloc(STACK);
    CHECK(stacks[i]);
    done[i] = false;
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = &scheduler;
    makecontext(&contexts[i], enter, 0);
  }
  int known = steps; // choices that are given
  int last = 0;
  steps = 0;
  preempted = 0;
  for (int count; (count = count_options(last)) > 0; ++steps) {
    CHECK(steps < STEPS);
    if (steps >= known)
      choices[steps] = 0;
    options[steps] = count;
    int next = pick(last, choices[steps]);
    if (next != last && !done[last])
      ++preempted;
    last = current = next;
    CHECK(swapcontext(&scheduler, &contexts[next]) == 0);
    current = -1;
  }
  test->end();
}

/// Makes the choices for the next run. False if there is none.
static bool advance(void) {
  while (steps > 0 && choices[steps - 1] + 1 == options[steps - 1])
    --steps;
  if (steps == 0)
    return false;
  ++choices[steps - 1];
  return true;
}

long interleave(const interleaving *all) {
  test = all;
  CHECK(all->threads <= THREADS);
  steps = 0;
  long runs = 0;
  do {
    run_once();
    ++runs;
  } while (advance());
  return runs;
}
