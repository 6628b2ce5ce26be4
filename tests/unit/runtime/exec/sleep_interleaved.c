//===- sleep_interleaved.c - Sleepers and their waking in all interleavings
//===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of sleep.c between submitters and workers, over a queue that is
// a number. A run in which a task is queued and all workers sleep fails, and so
// does one in which a worker is woken by a thread that has the lock which it
// takes then.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "check.h"

/// Whose the executor's lock is; -2: nobody's.
static int holder = -2;

INTERLEAVE_UNSEEN static int lock_as_holder(const void *lock) {
  int result = interleave_lock(lock);
  holder = interleave_thread();
  return result;
}

INTERLEAVE_UNSEEN static int unlock_as_holder(const void *lock) {
  holder = -2;
  return interleave_unlock(lock);
}

static void check_no_holder(void);

#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#undef syscall
#define pthread_mutex_lock(lock) lock_as_holder(lock)
#define pthread_mutex_unlock(lock) unlock_as_holder(lock)
#define syscall(number, word, operation, ...)                                  \
  ((operation) == FUTEX_WAKE_PRIVATE ? check_no_holder() : (void)0,            \
   interleave_syscall(number, word, operation, __VA_ARGS__))

#include "base/sync/park.c"

#include "exec/census.c"
#include "exec/sleep.c"

#include "own_self.h"

// What they need of the runtime.

int64_t agpu__clock_now_ns(void) { return 0; }
int64_t agpu__clock_machine_ns(void) { return 0; }

/// Whoever ends them all may have it.
AGPU__UNCHECKED_LOCKS INTERLEAVE_UNSEEN static void check_no_holder(void) {
  CHECK(agpu__the_executor.stopping || holder != interleave_thread());
}

static _Atomic(int) queued;

bool agpu__outside_is_empty(agpu__outside *outside) {
  (void)outside;
  interleave_step();
  return queued == 0;
}

bool agpu__outside_has_help(agpu__outside *outside, uint64_t *out_helps) {
  (void)outside;
  *out_helps = 0;
  return false;
}

void agpu__outside_end_help(void) { CHECK(0 && "no thread helps here"); }

bool agpu__deque_is_empty(agpu__deque *deque) {
  (void)deque;
  return true;
}

void agpu__exec_rest(agpu__parker *parker, uint32_t mask) {
  (void)agpu__parker_wait(parker, mask);
}

//===----------------------------------------------------------------------===//

#define WORKERS 2
#define MOST_TASKS 3

static agpu__parker parkers[WORKERS];
static int tasks, ran;
static int submitters;
static int most_searchers;

static void begin(void) {
  agpu__executor *executor = &agpu__the_executor;
  *executor =
      (agpu__executor){.active = WORKERS, .most_searchers = most_searchers};
  queued = 0;
  ran = 0;
  for (int i = 0; i < WORKERS; ++i)
    agpu__parker_init(&parkers[i]);
}

static void submit(void) {
  interleave_step();
  ++queued;
  agpu__exec_notify();
}

static bool take(void) {
  interleave_step();
  int before = queued;
  while (before > 0 &&
         !atomic_compare_exchange_strong(&queued, &before, before - 1))
    continue;
  return before > 0;
}

/// As agpu__exec_stop, without joining.
static void stop(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__mutex_lock(&executor->lock);
  executor->stopping = true;
  for (int i = 0; i < WORKERS; ++i)
    agpu__parker_signal(&parkers[i], AGPU__EXEC_NOTIFIED);
  agpu__mutex_unlock(&executor->lock);
}

/// As `work` in seat.c, without deques and spinning. Whoever runs the last
/// task ends them all, so that each one is needed.
AGPU__UNCHECKED_LOCKS INTERLEAVE_UNSEEN static void
run_worker(agpu__parker *parker) {
  agpu__search search = AGPU__SEARCHES_NOT;
  while (!agpu__the_executor.stopping) {
    if (take()) {
      agpu__exec_end_search(&search);
      if (++ran == tasks)
        stop();
      continue;
    }
    if (search == AGPU__SEARCHES_NOT && agpu__exec_begin_search())
      search = AGPU__SEARCHES;
    agpu__exec_sleep(parker, 0, /*in_task=*/false, &search);
  }
}

static void work(int thread) {
  if (thread < WORKERS) {
    run_worker(&parkers[thread]);
    return;
  }
  for (int i = thread - WORKERS; i < tasks; i += submitters)
    submit();
}

/// The last two tasks need a worker each: the first of them holds its worker
/// until the second has begun.
static int holding;

static bool both_run(const void *unused) {
  (void)unused;
  return ran == tasks;
}

AGPU__UNCHECKED_LOCKS INTERLEAVE_UNSEEN static void work_holding(int thread) {
  if (thread >= WORKERS) {
    work(thread);
    return;
  }
  agpu__parker *parker = &parkers[thread];
  agpu__search search = AGPU__SEARCHES_NOT;
  while (!agpu__the_executor.stopping) {
    if (take()) {
      agpu__exec_end_search(&search);
      if (++ran < tasks)
        interleave_block(both_run, &holding);
      else
        stop();
      continue;
    }
    if (search == AGPU__SEARCHES_NOT && agpu__exec_begin_search())
      search = AGPU__SEARCHES;
    agpu__exec_sleep(parker, 0, /*in_task=*/false, &search);
  }
}

AGPU__UNCHECKED_LOCKS static void end(void) {
  CHECK_EQ(ran, tasks);
  CHECK_EQ(queued, 0);
  CHECK(LIST_EMPTY(&agpu__the_executor.sleepers));
  CHECK_EQ(agpu__the_executor.sleeping, 0);
}

static void run_all(void (*run)(int), int task_count, int submitter_count,
                    int preemptions) {
  CHECK(task_count <= MOST_TASKS);
  tasks = task_count;
  submitters = submitter_count;
  long runs = interleave(&(interleaving){.threads = WORKERS + submitters,
                                         .preemptions = preemptions,
                                         .begin = begin,
                                         .run = run,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
}

int main(void) {
  for (most_searchers = 1; most_searchers <= WORKERS; ++most_searchers) {
    run_all(work, 2, 1, 2);
    run_all(work, 2, 2, INTERLEAVE_BOUND(2, 1));
    run_all(work_holding, 2, 1, 2);
    run_all(work_holding, 2, 2, INTERLEAVE_BOUND(2, 1));
  }
  return 0;
}
