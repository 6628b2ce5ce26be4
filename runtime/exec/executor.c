//===- executor.c - The executor's start and end --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It starts with the first task or wait, with a thread for each seat, and stops
// when nothing is left to run; then its object is as it was before, and can
// start again. The child of a fork has the parent's object and none of its
// threads, so it begins as after a stop; what the parent's threads had locked,
// the fork has waited for.
//
//===----------------------------------------------------------------------===//

#include "exec/executor.h"

#include "base/memory/counter.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/cpus.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/report/log.h"
#include "base/report/settings.h"
#include "base/report/status_track.h"
#include "base/sync/schedule.h"
#include "exec/census.h"

#include <stdlib.h>

/// Once: a thread that has waited for an executor to be quiet may still be
/// leaving the condition when another one is started.
static void make_conditions(agpu__executor *executor) {
  agpu__mutex_lock(&executor->lock);
  if (!executor->has_conditions) {
    agpu__condition_init(&executor->quiet);
    agpu__condition_init(&executor->relief);
    executor->has_conditions = true;
  }
  agpu__mutex_unlock(&executor->lock);
}

static int64_t read_count(void) {
  int64_t usable = agpu__cpus_get().usable;
  if (usable > AGPU__MAX_WORKERS)
    usable = AGPU__MAX_WORKERS;
  int64_t count;
  agpu__status_report(agpu__setting_integer(AGPU__SETTING_NUM_THREADS, &count));
  return count == AGPU__SETTING_UNSET ? usable : count;
}

int64_t agpu__exec_worker_count(void) {
  int64_t count = atomic_load_explicit(&agpu__the_executor.wanted_workers,
                                       memory_order_relaxed);
  if (count)
    return count;
  // Several threads may read it; what the first stores counts.
  int64_t read = read_count();
  return atomic_compare_exchange_strong_explicit(
             &agpu__the_executor.wanted_workers, &count, read,
             memory_order_relaxed, memory_order_relaxed)
             ? read
             : count;
}

/// How many of so many workers may spin at a time: one CPU is left to whoever
/// submits.
static int count_searchers(uint32_t workers) {
  if (workers <= 2)
    return 1;
  int64_t cpus = agpu__schedule_on() ? workers : agpu__cpus_get().usable;
  return (int)(workers < cpus ? workers : cpus > 2 ? cpus : 2) - 1;
}

static void start(agpu__executor *executor) {
  agpu__schedule_read();
  uint32_t count = (uint32_t)agpu__exec_worker_count();
  executor->seats =
      agpu__memory_alloc((int64_t)(count * sizeof(agpu__seat)),
                         _Alignof(agpu__seat), "the executor's deques");
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t random =
        agpu__schedule_on() ? agpu__schedule_random() : 0x9E3779B9u * (i + 1);
    executor->seats[i] = (agpu__seat){.random = random};
    agpu__deque_init(&executor->seats[i].deque);
    executor->seats[i].deque.alone = count == 1;
  }
  agpu__outside_begin(&executor->outside);
  make_conditions(executor);
  // What an executor before this one has left suspended.
  atomic_store_explicit(&executor->tasks_to_stay,
                        agpu__counter_read(AGPU__COUNT_TASKS),
                        memory_order_relaxed);
  executor->seat_count = count;
  executor->most_searchers = count_searchers(count);

  uint32_t seated = 0;
  while (seated < count &&
         agpu__exec_hand_over(&executor->seats[seated], AGPU__SEARCHES_NOT))
    ++seated;
  executor->worker_count = seated;
  if (seated < count)
    agpu__log(AGPU__LOG_EXEC, "created only %u of %u threads", seated, count);
  agpu__log(AGPU__LOG_EXEC, "started with %u workers", seated);
}

void agpu__exec_start(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__mutex_lock(&executor->start_lock);
  if (!atomic_load_explicit(&executor->started, memory_order_relaxed)) {
    start(executor);
    atomic_store_explicit(&executor->started, true, memory_order_release);
  }
  agpu__mutex_unlock(&executor->start_lock);
}

void agpu__exec_drain(void) {
  agpu__executor *executor = &agpu__the_executor;
  AGPU__ASSERT(!agpu__exec_in_task());
  if (!agpu__exec_has_started())
    return;
  agpu__task task;
  if (executor->worker_count == 0)
    while (agpu__exec_find(/*patient=*/false, &task))
      agpu__exec_run(task);

  int64_t pause_ns = 1000;
  agpu__mutex_lock(&executor->lock);
  while (agpu__exec_is_busy(executor)) {
    if (executor->active > 0 || agpu__exec_has_work()) {
      agpu__exec_rest_until_quiet();
      continue;
    }
    // Only a thread that helps is left, mostly for a moment.
    agpu__mutex_unlock(&executor->lock);
    agpu__clock_pause(&pause_ns);
    agpu__mutex_lock(&executor->lock);
  }
  agpu__mutex_unlock(&executor->lock);
}

uint64_t agpu__exec_wakeups(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__mutex_lock(&executor->lock);
  uint64_t helps;
  (void)agpu__outside_has_help(&executor->outside, &helps);
  uint64_t wakeups = executor->wakeups + helps;
  agpu__mutex_unlock(&executor->lock);
  return wakeups;
}

bool agpu__exec_is_quiet(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!agpu__exec_has_started())
    return true;
  agpu__mutex_lock(&executor->lock);
  bool quiet = !agpu__exec_is_busy(executor);
  agpu__mutex_unlock(&executor->lock);
  return quiet;
}

/// As it was before the start. `threads` run no more.
AGPU__UNCHECKED_LOCKS static void reset(agpu__executor *executor) {
  for (uint32_t i = 0; i < executor->seat_count; ++i)
    agpu__deque_destroy(&executor->seats[i].deque);
  agpu__memory_free(executor->seats);
  agpu__outside_forget(&executor->outside);
  executor->seats = NULL;
  executor->seat_count = executor->worker_count = 0;
  // Threads that ended were awake, and one may have been woken to search.
  executor->active = executor->stuck = executor->held = 0;
  atomic_store_explicit(&executor->sleeping, 0, memory_order_relaxed);
  atomic_store_explicit(&executor->searching, 0, memory_order_relaxed);
  while (!SLIST_EMPTY(&executor->threads)) {
    agpu__exec_thread *thread = SLIST_FIRST(&executor->threads);
    SLIST_REMOVE_HEAD(&executor->threads, link);
    free(thread);
  }
  SLIST_INIT(&executor->spares);
  executor->thread_count = 0;
  executor->stopping = false;
  atomic_store_explicit(&executor->wanted_workers, 0, memory_order_relaxed);
  atomic_store_explicit(&executor->started, false, memory_order_release);
}

void agpu__exec_stop(void) {
  agpu__executor *executor = &agpu__the_executor;
  AGPU__ASSERT(!agpu__exec_in_task());
  if (!agpu__exec_has_started())
    return;

  // Threads sleep at their seats or as spares, all on their own parkers.
  agpu__mutex_lock(&executor->lock);
  executor->stopping = true;
  agpu__exec_thread *thread;
  SLIST_FOREACH (thread, &executor->threads, link)
    agpu__parker_signal(&thread->parker, AGPU__EXEC_NOTIFIED);
  agpu__exec_thread *first = SLIST_FIRST(&executor->threads);
  uint32_t count = executor->thread_count;
  agpu__mutex_unlock(&executor->lock);

  // Of those that there are now: none begins any more.
  for (thread = first; thread; thread = SLIST_NEXT(thread, link)) {
    agpu__pass_sleep(thread);
    pthread_join(thread->handle, NULL);
  }
  agpu__log(AGPU__LOG_EXEC, "stopped after %u threads", count);
  reset(executor);
}

/// Takes the locks in one call and gives them back in another.
AGPU__UNCHECKED_LOCKS void agpu__exec_fork(agpu__fork_step step) {
  agpu__executor *executor = &agpu__the_executor;
  if (step == AGPU__FORK_BEFORE) {
    agpu__mutex_lock(&executor->start_lock);
    agpu__mutex_lock(&executor->lock);
    agpu__outside_fork(&executor->outside, step);
    agpu__schedule_fork(step);
    return;
  }
  agpu__schedule_fork(step);
  agpu__outside_fork(&executor->outside, step);
  if (step == AGPU__FORK_IN_CHILD && agpu__exec_has_started()) {
    reset(executor);
    // Threads of the parent may have been waiting there.
    executor->has_conditions = false;
    LIST_INIT(&executor->sleepers);
    LIST_INIT(&executor->waiters);
    atomic_store_explicit(&executor->throttled, 0, memory_order_relaxed);
    agpu__hot.exec.seat = NULL;
    if (agpu__hot.exec.depth > 0) {
      agpu__hot.exec.is_orphan = true;
      executor->active = 1;
    }
  }
  agpu__mutex_unlock(&executor->lock);
  agpu__mutex_unlock(&executor->start_lock);
}
