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

#include "base/schedule.h"
#include "check.h"

#include <linux/futex.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define THREADS 4
#define STACK (64 * 1024)
#define STEPS 20000

static const interleaving *test;
/// A context begins by swapcontext, and goes on by longjmp, which leaves the
/// signal mask alone: that is a system call less.
static ucontext_t begin_at, contexts[THREADS];
static jmp_buf scheduler, goes_on_at[THREADS];
static bool has_begun[THREADS];
static bool done[THREADS];
// What a thread that is blocked waits for.
static bool (*may_go[THREADS])(const void *);
static const void *goes_by[THREADS];
static int current = -1; // the thread that runs; -1 outside

// A choice is one of the threads that can go on, counted from the current one.
static int choices[STEPS], options[STEPS];
static int steps, preempted;

void interleave_step(void) {
  if (current >= 0 && _setjmp(goes_on_at[current]) == 0)
    _longjmp(scheduler, 1);
}

void interleave_access(void) {
  if (!test || !test->coarse)
    interleave_step();
}

int interleave_thread(void) { return current; }

void interleave_block(bool (*until)(const void *), const void *argument) {
  CHECK(current >= 0);
  may_go[current] = until;
  goes_by[current] = argument;
  interleave_step();
}

/// Whether the thread can go on.
static bool is_ready(int thread) {
  return !done[thread] && (!may_go[thread] || may_go[thread](goes_by[thread]));
}

static void enter(void) {
  test->run(current);
  done[current] = true;
  _longjmp(scheduler, 1);
}

/// Lets the current thread go on to its next step.
static void go_on(void) {
  if (_setjmp(scheduler) != 0)
    return;
  if (has_begun[current])
    _longjmp(goes_on_at[current], 1);
  has_begun[current] = true;
  CHECK(swapcontext(&begin_at, &contexts[current]) == 0);
}

/// Threads that have yielded, until another has gone on.
static bool yields[THREADS];

/// The `choice`-th thread that can go on, from `first`; -1 if there are not so
/// many.
static int pick(int first, int choice) {
  bool any = false;
  for (int i = 0; i < test->threads; ++i) {
    int thread = (first + i) % test->threads;
    if (!is_ready(thread) || yields[thread])
      continue;
    any = true;
    if (choice-- == 0)
      return thread;
  }
  // Where nobody else can go on, one that yields does.
  for (int i = 0; i < test->threads && !any; ++i) {
    int thread = (first + i) % test->threads;
    if (is_ready(thread) && choice-- == 0)
      return thread;
  }
  return -1;
}

static int count_options(int last) {
  int count = 0;
  while (pick(last, count) >= 0)
    ++count;
  // To go on with another thread although the last one could: a preemption.
  if (is_ready(last) && !yields[last] && preempted >= test->preemptions &&
      count > 1)
    count = 1;
  return count;
}

static int usual_steps = 100; // of a run

/// For a random walk.
static int draw_choice(int last, int count) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  uint64_t drawn = state >> 20;
  bool goes_on = is_ready(last) && !yields[last];
  if (goes_on && drawn % (uint64_t)usual_steps >= (uint64_t)test->preemptions)
    return 0;
  return (int)(drawn / (uint64_t)usual_steps % (uint64_t)count);
}

static void say_who_is_left(void) {
  for (int i = 0; i < test->threads; ++i)
    if (!done[i])
      fprintf(stderr, "thread %d is left\n", i);
  fprintf(stderr, "choices of the run, step and thread:");
  for (int i = 0; i < steps; ++i)
    if (choices[i])
      fprintf(stderr, " %d:+%d", i, choices[i]);
  fprintf(stderr, "\n");
}

static void run_once(void) {
  static char *stacks[THREADS];
  test->begin();
  for (int i = 0; i < test->threads; ++i) {
    if (!stacks[i])
      stacks[i] = malloc(STACK);
    CHECK(stacks[i]);
    done[i] = false;
    yields[i] = false;
    may_go[i] = NULL;
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = NULL;
    has_begun[i] = false;
    makecontext(&contexts[i], enter, 0);
  }
  int known = steps; // choices that are given
  int last = 0;
  steps = 0;
  preempted = 0;
  for (int count; (count = count_options(last)) > 0; ++steps) {
    CHECK(steps < STEPS);
    if (steps >= known)
      choices[steps] = test->walks > 0 ? draw_choice(last, count) : 0;
    options[steps] = count;
    int next = pick(last, choices[steps]);
    if (next != last && is_ready(last) && !yields[last])
      ++preempted;
    for (int i = 0; i < test->threads; ++i)
      yields[i] = false;
    last = current = next;
    may_go[next] = NULL;
    if (test->enter)
      test->enter(next);
    go_on();
    current = -1;
  }
  usual_steps = steps > 0 ? steps : 1;
  for (int i = 0; i < test->threads; ++i)
    if (!done[i])
      say_who_is_left();
  for (int i = 0; i < test->threads; ++i)
    CHECK(done[i]); // the others wait for each other, or for what was lost
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
    if (all->walks > 0)
      steps = 0;
  } while (all->walks > 0 ? runs < all->walks : advance());
  return runs;
}

//===----------------------------------------------------------------------===//
// What is drawn from a seed elsewhere
//===----------------------------------------------------------------------===//

bool agpu__schedule_is_drawn;

void agpu__schedule_pass(agpu__point point) {
  (void)point;
  interleave_step();
}

bool agpu__schedule_draw(agpu__point point) {
  (void)point;
  return false;
}

void agpu__schedule_sleep(const void *place) { (void)place; }

void agpu__schedule_wake(const void *place) { (void)place; }

//===----------------------------------------------------------------------===//
// Locks and futexes
//===----------------------------------------------------------------------===//

#define WORDS 32

/// Locks that are held. A lock is known by its address.
static const void *held[WORDS];

static int find_held(const void *lock) {
  for (int i = 0; i < WORDS; ++i)
    if (held[i] == lock)
      return i;
  return -1;
}

static bool is_free(const void *lock) { return find_held(lock) < 0; }

int interleave_lock(const void *lock) {
  interleave_step();
  if (current >= 0 && !is_free(lock))
    interleave_block(is_free, lock);
  int slot = find_held(NULL);
  CHECK(slot >= 0 && is_free(lock));
  held[slot] = lock;
  return 0;
}

int interleave_unlock(const void *lock) {
  int slot = find_held(lock);
  CHECK(slot >= 0);
  held[slot] = NULL;
  // What follows until the next access is seen by nobody else.
  interleave_access();
  return 0;
}

/// For each thread in a condition, its address.
static const void *waits_for[THREADS];

static bool is_told(const void *place) {
  return *(const void *const *)place == NULL;
}

int interleave_wait(const void *condition, const void *lock) {
  // A condition that nobody else can tell of is not waited for outside.
  CHECK(current >= 0);
  waits_for[current] = condition;
  held[find_held(lock)] = NULL;
  interleave_block(is_told, &waits_for[current]);
  return interleave_lock(lock);
}

int interleave_broadcast(const void *condition) {
  for (int i = 0; i < THREADS; ++i)
    if (waits_for[i] == condition)
      waits_for[i] = NULL;
  return 0;
}

int interleave_yield(void) {
  if (current >= 0)
    yields[current] = true;
  interleave_step();
  return 0;
}

/// For each thread in a futex, its address.
static const void *sleeps_on[THREADS];

static bool is_awake(const void *place) {
  return *(const void *const *)place == NULL;
}

long interleave_syscall(long number, const _Atomic(uint32_t) *word,
                        int operation, uint32_t value, ...) {
  CHECK(number == SYS_futex);
  interleave_step();
  if (operation == FUTEX_WAIT_PRIVATE) {
    if (*word != value)
      return -1;
    sleeps_on[current] = word;
    interleave_block(is_awake, &sleeps_on[current]);
    return 0;
  }
  CHECK(operation == FUTEX_WAKE_PRIVATE && value == 1);
  for (int i = 0; i < THREADS; ++i)
    if (sleeps_on[i] == word) {
      sleeps_on[i] = NULL;
      return 1;
    }
  return 0;
}
