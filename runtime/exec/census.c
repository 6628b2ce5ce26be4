//===- census.c - Threads at work -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are counted under the lock: those that are at work (`active`), those
// of them that sleep in a wait inside a task (`stuck`) or are held as spawners
// (`held`). A thread that goes to rest is counted out before it looks at the
// queues for the last time, so `active` == 0 means that no thread at rest has
// overlooked a task: the drain relies on it, standstills are seen by it
// (watch.c), and spawners learn by it that nobody will make tasks fewer.
//
// A thread outside that runs what it waits for does so mostly for a moment. Its
// outbox says that it helps, which takes no lock, and it is counted only when
// it is about to rest inside of what it runs.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"

#include "base/os/self.h"
#include "base/report/assert.h"
#include "exec/executor.h"

#include <stddef.h>

agpu__executor agpu__the_executor = {
    .start_lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC_START),
    .lock = AGPU__MUTEX_INIT(AGPU__RANK_EXEC),
    .outside = AGPU__OUTSIDE_INIT,
};

bool agpu__exec_has_work(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!agpu__outside_is_empty(&executor->outside))
    return true;
  for (uint32_t i = 0; i < executor->seat_count; ++i)
    if (!agpu__deque_is_empty(&executor->seats[i].deque))
      return true;
  return false;
}

bool agpu__exec_has_more(void) {
  return agpu__hot.exec.started_here > 0 || agpu__exec_has_work();
}

static bool none_helps(agpu__executor *executor) {
  uint64_t helps;
  return !agpu__outside_has_help(&executor->outside, &helps);
}

bool agpu__exec_none_at_work(agpu__executor *executor) {
  return executor->active == executor->stuck + executor->held &&
         none_helps(executor);
}

/// After fewer threads were at work: spawners that wait look whether any is.
static void notify_spawners(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
  if (atomic_load_explicit(&executor->throttled, memory_order_relaxed) > 0 &&
      agpu__exec_none_at_work(executor))
    agpu__condition_broadcast(&executor->relief);
}

void agpu__exec_count_in(agpu__executor *executor) {
  ++executor->active;
  ++executor->wakeups;
}

void agpu__exec_count_out(agpu__executor *executor) {
  AGPU__ASSERT(executor->active > 0);
  if (--executor->active == 0)
    agpu__condition_broadcast(&executor->quiet);
  notify_spawners(executor);
}

static void count_stuck(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
  ++executor->stuck;
  notify_spawners(executor);
}

static void count_unstuck(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
  AGPU__ASSERT(executor->stuck > 0);
  --executor->stuck;
  ++executor->rises;
}

/// The calling thread, if it helps, becomes one of the `active`.
static void count_helper(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
  if (agpu__hot.exec.help != AGPU__HELPS)
    return;
  // At no time it is neither.
  agpu__exec_count_in(executor);
  agpu__hot.exec.help = AGPU__HELPS_COUNTED;
  agpu__outside_end_help();
}

void agpu__exec_end_help(void) {
  agpu__executor *executor = &agpu__the_executor;
  bool counts = agpu__hot.exec.help == AGPU__HELPS_COUNTED;
  agpu__hot.exec.help = AGPU__HELPS_NOT;
  if (counts) {
    agpu__exec_deactivate();
    return;
  }
  agpu__outside_end_help();
  // A spawner that begins to wait just now looks again soon.
  if (atomic_load_explicit(&executor->throttled, memory_order_relaxed) > 0) {
    agpu__mutex_lock(&executor->lock);
    notify_spawners(executor);
    agpu__mutex_unlock(&executor->lock);
  }
}

void agpu__exec_count_held(agpu__executor *executor, bool in_task) {
  count_helper(executor);
  atomic_fetch_add_explicit(&executor->throttled, 1, memory_order_relaxed);
  executor->held += in_task;
  notify_spawners(executor); // for the others
}

void agpu__exec_count_released(agpu__executor *executor, bool in_task) {
  executor->held -= in_task;
  AGPU__ASSERT(executor->held >= 0);
  atomic_fetch_sub_explicit(&executor->throttled, 1, memory_order_relaxed);
}

void agpu__exec_list(agpu__executor *executor, agpu__sleeper *sleeper) {
  LIST_INSERT_HEAD(&executor->sleepers, sleeper, link);
  sleeper->listed = true;
  atomic_fetch_add_explicit(&executor->sleeping, 1, memory_order_seq_cst);
  if (sleeper->in_task)
    count_stuck(executor);
  else
    agpu__exec_count_out(executor);
}

void agpu__exec_unlist(agpu__executor *executor, agpu__sleeper *sleeper) {
  AGPU__ASSERT(sleeper->listed);
  LIST_REMOVE(sleeper, link);
  sleeper->listed = false;
  atomic_fetch_sub_explicit(&executor->sleeping, 1, memory_order_seq_cst);
  if (sleeper->in_task)
    count_unstuck(executor);
  else
    agpu__exec_count_in(executor);
}

void agpu__exec_list_waiter(agpu__executor *executor, agpu__sleeper *sleeper) {
  count_helper(executor);
  LIST_INSERT_HEAD(&executor->waiters, sleeper, link);
  if (sleeper->in_task)
    count_stuck(executor);
}

void agpu__exec_unlist_waiter(agpu__executor *executor,
                              agpu__sleeper *sleeper) {
  LIST_REMOVE(sleeper, link);
  if (sleeper->in_task)
    count_unstuck(executor);
}

/// Whether one has been woken and not noticed it yet.
static bool any_is_woken(const agpu__sleepers *of) {
  const agpu__sleeper *sleeper;
  LIST_FOREACH (sleeper, of, link)
    if (agpu__parker_poll(sleeper->parker))
      return true;
  return false;
}

bool agpu__exec_all_sleep(agpu__executor *executor) {
  return executor->active == executor->stuck && !agpu__exec_has_work() &&
         none_helps(executor) && !agpu__exec_has_work() &&
         !any_is_woken(&executor->sleepers) &&
         !any_is_woken(&executor->waiters);
}

bool agpu__exec_is_busy(agpu__executor *executor) {
  // A thread whose task is seen to be gone is seen to help, or it has queued
  // what that task did.
  return executor->active > 0 || agpu__exec_has_work() ||
         !none_helps(executor) || agpu__exec_has_work();
}

void agpu__exec_activate(void) {
  agpu__mutex_lock(&agpu__the_executor.lock);
  agpu__exec_count_in(&agpu__the_executor);
  agpu__mutex_unlock(&agpu__the_executor.lock);
}

void agpu__exec_deactivate(void) {
  agpu__mutex_lock(&agpu__the_executor.lock);
  agpu__exec_count_out(&agpu__the_executor);
  agpu__mutex_unlock(&agpu__the_executor.lock);
}
