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
// A reduced search leaves out what interleave_seen.c knows to be the same.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "interleave_parts.h"
#include "weak_memory.h"

#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

#define THREADS INTERLEAVE_THREADS
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
static int steps, preempted, known_steps;

/// Whether no alternatives are wanted for now, or for the rest of the run.
static bool is_alone, is_known;

/// To the scheduler and back.
static void leave(void) {
  if (_setjmp(goes_on_at[current]) == 0)
    _longjmp(scheduler, 1);
}

int interleave_thread(void) { return current; }

void interleave_alone(bool alone) { is_alone = alone; }

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether the current thread goes on whatever the others could do.
static bool goes_on_anyway(void) {
  return is_alone ||
         (test->reduced && (is_known || preempted >= test->preemptions));
}

bool interleave_turn(const volatile void *object) {
  if (!test->reduced) {
    if (!test->coarse && !is_alone)
      leave();
    return false;
  }
  bool is_shared = interleave_seen_shared(object);
  if (is_shared && !goes_on_anyway())
    leave();
  return is_shared;
}

void interleave_access(const volatile void *object, bool changes) {
  if (current >= 0 && interleave_turn(object))
    interleave_seen_access(object, changes);
}

/// Whether what follows may have an alternative that was not there yet.
static bool is_new(int last) {
  return !test->reduced || interleave_seen_new_state(last, preempted);
}

int interleave_choose(int count) {
  if (count == 1 || is_alone || is_known)
    return 0;
  CHECK(steps < STEPS);
  CHECK(steps >= known_steps || options[steps] == count);
  if (steps >= known_steps) {
    // A state in the middle of a step is none between two.
    if (!is_new(THREADS + current)) {
      is_known = true;
      return 0;
    }
    choices[steps] = 0;
  }
  options[steps] = count;
  return choices[steps++];
}

/// In what the scheduler itself calls accesses are nobody's.
static bool is_asking;

/// The thread goes on from where nothing but its turn was missing.
static void pass(void) { (void)interleave_note(1); }

void interleave_see_place(const void *place) {
  if (current >= 0 && test->reduced)
    interleave_seen_access(place, true);
}

bool interleave_outside(void) { return current < 0 || is_asking; }

static bool ask(bool (*until)(const void *), const void *argument) {
  is_asking = true;
  bool answer = until(argument);
  is_asking = false;
  return answer;
}

void interleave_step(void) {
  static const char anything;
  if (current < 0)
    return;
  if (test->reduced)
    interleave_access(&anything, true);
  else if (!is_alone)
    leave();
  weak_memory_acquire(&anything);
  weak_memory_release(&anything);
}

void interleave_delay(int thread, bool (*until)(const void *),
                      const void *argument) {
  may_go[thread] = until;
  goes_by[thread] = argument;
}

void interleave_rest(bool (*until)(const void *), const void *argument) {
  CHECK(current >= 0);
  if (!goes_on_anyway() || !ask(until, argument)) {
    may_go[current] = until;
    goes_by[current] = argument;
    leave();
  }
  pass();
}

void interleave_block(bool (*until)(const void *), const void *argument) {
  interleave_rest(until, argument);
  interleave_seen_meet(false);
  weak_memory_meet();
}

void interleave_barrier(void) {
  if (current < 0)
    return;
  if (!goes_on_anyway())
    leave();
  interleave_seen_meet(true);
  weak_memory_barrier();
}

void interleave_pause(void) {
  if (current >= 0 && !test->reduced && !test->coarse && !is_alone)
    leave();
}

void interleave_point(void) {
  // Elsewhere there is an access where it makes a difference.
  if (test && test->coarse)
    interleave_step();
}

//===----------------------------------------------------------------------===//
// The scheduler
//===----------------------------------------------------------------------===//

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
  pass();
  CHECK(swapcontext(&begin_at, &contexts[current]) == 0);
}

/// Threads that have yielded, until another has gone on.
static bool yields[THREADS];

int interleave_yield(void) {
  if (current < 0)
    return 0;
  yields[current] = true;
  leave();
  pass();
  return 0;
}

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

void interleave_say_choices(void) {
  fprintf(stderr, "choices of the run, step and thread:");
  for (int i = 0; i < steps; ++i)
    if (choices[i])
      fprintf(stderr, " %d:+%d", i, choices[i]);
  fprintf(stderr, "\n");
}

static void say_who_is_left(void) {
  for (int i = 0; i < test->threads; ++i)
    if (!done[i])
      fprintf(stderr, "thread %d is left\n", i);
  interleave_say_choices();
}

static void run_once(void) {
  static char *stacks[THREADS];
  memset(may_go, 0, sizeof(may_go));
  test->begin();
  for (int i = 0; i < test->threads; ++i) {
    if (!stacks[i])
      stacks[i] = malloc(STACK);
    CHECK(stacks[i]);
    done[i] = false;
    yields[i] = false;
    CHECK(getcontext(&contexts[i]) == 0);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = STACK;
    contexts[i].uc_link = NULL;
    has_begun[i] = false;
    makecontext(&contexts[i], enter, 0);
  }
  known_steps = steps; // choices that are given
  int last = 0, entered = -1;
  steps = 0;
  preempted = 0;
  is_alone = is_known = false;
  interleave_seen_begin_run();
  weak_memory_begin(test->stale ? test->stale : 2);
  for (int count; (count = count_options(last)) > 0;) {
    CHECK(steps < STEPS);
    if (is_known || (is_alone && test->walks == 0))
      count = 1;
    // The way to a choice is the same each time.
    CHECK(!test->reduced || steps >= known_steps || options[steps] == count);
    if (steps >= known_steps && count > 1 && !is_new(last)) {
      is_known = true;
      count = 1;
    }
    if (steps >= known_steps)
      choices[steps] = test->walks > 0 ? draw_choice(last, count) : 0;
    options[steps] = count;
    int next = pick(last, choices[steps]);
    if (next != last && is_ready(last) && !yields[last])
      ++preempted;
    for (int i = 0; i < test->threads; ++i)
      yields[i] = false;
    last = current = next;
    may_go[next] = NULL;
    is_asking = true;
    if (test->enter && next != entered)
      test->enter(next);
    is_asking = false;
    entered = next;
    ++steps;
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
#ifdef INTERLEAVE_WEAK
  interleaving weak = *all;
  weak.reduced = true;
  all = &weak;
#endif
  test = all;
  CHECK(all->threads <= THREADS);
  CHECK(!all->reduced || (!all->coarse && all->walks == 0 &&
                          all->preemptions <= INTERLEAVE_MOST_PREEMPTIONS));
  interleave_seen_begin();
  long runs = 0;
  do {
    if (all->reduced)
      interleave_seen_forget_states();
    steps = 0;
    do {
      run_once();
      ++runs;
      if (all->walks > 0)
        steps = 0;
    } while (all->walks > 0 ? runs < all->walks : advance());
  } while (all->reduced && interleave_seen_learn());
  return runs;
}
