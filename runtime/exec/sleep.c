//===- sleep.c - Sleepers and waking them -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task that was queued is never overlooked, and no thread spins for long
// while there is none.
//
// A submitter queues its task and then looks at `searching` and `sleeping`;
// it wakes a sleeper only if there are some and no thread searches. A thread
// that goes to sleep enters itself in `sleeping`, leaves `searching`, and then
// looks at the queues once more. All of these are sequentially consistent, so:
//
// - the submitter read sleeping == 0: every thread that goes to sleep later
//   looks at the queues later, and finds the task;
// - the submitter read searching > 0: some searcher had not left yet. When it
//   leaves it looks at the queues (in agpu__exec_sleep if it found nothing, in
//   agpu__exec_end_search if it did), later than the task was queued. In the
//   first case it is a searcher again if there is a task, and looks once more
//   after it has found one; in the second it wakes others.
//
// Before a thread sleeps it spins for some microseconds, as a searcher:
// submitters then need not wake it, which costs them far more than a small task
// does. How long depends on how long it slept last time (sleep_for_work in
// seat.c): up to the time it takes to be woken. One CPU is left to whoever
// submits, so there are fewer searchers than CPUs.
//
// A submitter wakes one thread at most; one that was woken, has found work and
// seen more, wakes two others. So few are woken for a burst of small tasks,
// which is over by then, and all of them soon where there is much to do.
//
// A thread that was woken is a searcher from the moment it leaves the list: the
// waker counts it. Should it have been woken by something else too and have no
// use for the work, it must still leave by agpu__exec_end_search, which passes
// the wake-up on.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"

#include "base/report/assert.h"
#include "base/sync/schedule.h"
#include "exec/executor.h"

#include <sched.h>

/// Wakes a thread, if any sleeps: a searcher from now on, which it `is_counted`
/// as by then or not.
static bool wake(agpu__executor *executor, bool is_counted) {
  agpu__parker *parker = NULL;
  bool is_asleep = false;
  agpu__mutex_lock(&executor->lock);
  agpu__sleeper *sleeper = LIST_FIRST(&executor->sleepers);
  if (sleeper) {
    agpu__exec_unlist(executor, sleeper);
    if (!is_counted)
      atomic_fetch_add_explicit(&executor->searching, 1, memory_order_seq_cst);
    // Under the lock: the sleeper takes it before it lets go of its memory.
    parker = sleeper->parker;
    is_asleep = agpu__parker_set(parker, AGPU__EXEC_NOTIFIED);
  }
  agpu__mutex_unlock(&executor->lock);
  if (is_asleep)
    agpu__parker_wake(parker);
  return sleeper != NULL;
}

void agpu__exec_notify(void) {
  agpu__executor *executor = &agpu__the_executor;
  for (;;) {
    if (atomic_load_explicit(&executor->searching, memory_order_seq_cst) > 0 ||
        atomic_load_explicit(&executor->sleeping, memory_order_seq_cst) == 0)
      return;
    agpu__pass(AGPU__POINT_NOTIFY);
    int none = 0;
    if (!atomic_compare_exchange_strong_explicit(&executor->searching, &none, 1,
                                                 memory_order_seq_cst,
                                                 memory_order_seq_cst))
      return;
    if (wake(executor, /*is_counted=*/true))
      return;
    // All woke up by themselves. While `searching` was ours another submitter
    // may have relied on it: look again, as a searcher that leaves does.
    atomic_fetch_sub_explicit(&executor->searching, 1, memory_order_seq_cst);
    if (!agpu__exec_has_work())
      return;
  }
}

bool agpu__exec_begin_search(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__pass(AGPU__POINT_SEARCH);
  int now = atomic_load_explicit(&executor->searching, memory_order_relaxed);
  while (now < executor->most_searchers)
    if (atomic_compare_exchange_weak_explicit(&executor->searching, &now,
                                              now + 1, memory_order_seq_cst,
                                              memory_order_relaxed))
      return true;
  return false;
}

void agpu__exec_set_source(uint32_t (*source)(bool leaves)) {
  atomic_store(&agpu__the_executor.source, source);
}

static uint32_t ask_source(bool leaves) {
  uint32_t (*source)(bool) = atomic_load(&agpu__the_executor.source);
  return source ? source(leaves) : 0;
}

/// Pauses of the CPU after each look before a thread sleeps: some ten
/// microseconds in all, a millisecond while work may come from outside.
#define PAUSES 8

bool agpu__exec_spin(uint32_t looks) {
  uint32_t pace = ask_source(/*leaves=*/false);
  bool comes = pace > 0;
  // A thread without a seat leaves that to workers that are awake.
  bool is_long =
      comes && (agpu__hot.exec.seat ||
                (uint32_t)atomic_load(&agpu__the_executor.sleeping) >=
                    agpu__the_executor.seat_count);
  if (looks >= AGPU__EXEC_LOOKS * (is_long ? 32 : 1) ||
      agpu__stray(AGPU__POINT_SPIN))
    return false;
  // What it waits for may need this CPU. To ask takes as long as a pause.
  if (comes && (looks % pace != pace - 1 || agpu__exec_has_work()))
    return true;
  if (comes || agpu__the_executor.seat_count == 1)
    (void)sched_yield();
  else
    for (int i = 0; i < PAUSES; ++i)
      agpu__pause();
  return true;
}

void agpu__exec_leave_search(agpu__search as) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__pass(AGPU__POINT_SEARCH);
  int before =
      atomic_fetch_sub_explicit(&executor->searching, 1, memory_order_seq_cst);
  AGPU__ASSERT(before > 0);
  agpu__pass(AGPU__POINT_SEARCH);
  bool woken = as == AGPU__SEARCHES_WOKEN;
  if ((before > 1 && !woken) || !agpu__exec_has_work())
    return;
  if (!woken) {
    agpu__exec_notify();
    return;
  }
  for (int i = 0; i < 2; ++i)
    if (atomic_load_explicit(&executor->sleeping, memory_order_seq_cst) > 0) {
      agpu__pass(AGPU__POINT_NOTIFY);
      (void)wake(executor, /*is_counted=*/false);
    }
}

void agpu__exec_sleep(agpu__parker *parker, uint32_t also, bool in_task,
                      agpu__search *search) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__sleeper sleeper = {.parker = parker, .in_task = in_task};

  (void)ask_source(/*leaves=*/true);
  agpu__pass(AGPU__POINT_SLEEP);
  agpu__mutex_lock(&executor->lock);
  agpu__exec_list(executor, &sleeper);
  if (*search)
    atomic_fetch_sub_explicit(&executor->searching, 1, memory_order_seq_cst);
  // With the lock held, so that `active` == 0 means that no thread at rest has
  // overlooked a task: agpu__exec_drain relies on it.
  if (executor->stopping || agpu__exec_has_work()) {
    agpu__exec_unlist(executor, &sleeper);
    // There may be more than it can take, which no thread was woken for.
    if (*search)
      atomic_fetch_add_explicit(&executor->searching, 1, memory_order_seq_cst);
    agpu__mutex_unlock(&executor->lock);
    return;
  }
  agpu__mutex_unlock(&executor->lock);

  agpu__pass(AGPU__POINT_SLEEP);
  if (also)
    agpu__exec_rest(parker, AGPU__EXEC_NOTIFIED | also);
  else
    (void)agpu__parker_wait(parker, AGPU__EXEC_NOTIFIED);
  agpu__pass(AGPU__POINT_WOKEN);

  agpu__mutex_lock(&executor->lock);
  *search = sleeper.listed ? AGPU__SEARCHES_NOT : AGPU__SEARCHES_WOKEN;
  if (sleeper.listed)
    agpu__exec_unlist(executor, &sleeper);
  agpu__mutex_unlock(&executor->lock);
  agpu__parker_clear(parker, AGPU__EXEC_NOTIFIED);
}

void agpu__exec_sleep_seatless(agpu__parker *parker) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__sleeper sleeper = {.parker = parker, .in_task = agpu__exec_in_task()};
  (void)ask_source(/*leaves=*/true);
  agpu__mutex_lock(&executor->lock);
  agpu__exec_list_waiter(executor, &sleeper);
  agpu__mutex_unlock(&executor->lock);

  agpu__pass(AGPU__POINT_SLEEP);
  agpu__exec_rest(parker, AGPU__EXEC_DONE);
  agpu__pass(AGPU__POINT_WOKEN);

  agpu__mutex_lock(&executor->lock);
  agpu__exec_unlist_waiter(executor, &sleeper);
  agpu__mutex_unlock(&executor->lock);
}
