//===- executor.c - Start and end of the executor -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/internal.h"

#include "base/memory/counter.h"
#include "base/memory/memory.h"
#include "base/os/cpus.h"
#include "base/report/log.h"
#include "base/report/settings.h"
#include "base/report/status_track.h"
#include "exec/loop/parallel.h"
#include "exec/queue/outside.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

agpu__executor agpu__the_executor = {
    .start_lock = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/// For waits that end at a time whatever is done to the clock.
static void init_condition(pthread_cond_t *condition) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

/// Once: a thread that has waited for an executor to be quiet may still be
/// leaving the condition when another one is started.
static void init_quiet(void) { init_condition(&agpu__the_executor.quiet); }

static int64_t read_count(void) {
  int64_t usable = agpu__cpus_get().usable;
  if (usable > AGPU__MAX_WORKERS)
    usable = AGPU__MAX_WORKERS;
  agpu__setting setting = AGPU__SETTING_NUM_THREADS;
  // The name that it had before.
  if (!agpu__setting_text(setting))
    setting = AGPU__SETTING_THREADS;
  int64_t count;
  agpu__status_report(agpu__setting_integer(setting, &count));
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

static void start(agpu__executor *executor) {
  agpu__schedule_read();
  uint32_t count = (uint32_t)agpu__exec_worker_count();
  executor->seats =
      agpu__memory_alloc((int64_t)(count * sizeof(agpu__seat)),
                         AGPU__CACHE_LINE, "the executor's deques");
  for (uint32_t i = 0; i < count; ++i) {
    agpu__deque_init(&executor->seats[i].deque);
    executor->seats[i].random =
        agpu__schedule_on() ? agpu__schedule_random() : 0x9E3779B9u * (i + 1);
    executor->seats[i].tick = 0;
    executor->seats[i].patience = (agpu__patience){0};
    executor->seats[i].spin_ns = 0;
  }
  executor->seat_cpus =
      agpu__memory_alloc((int64_t)(count * sizeof(*executor->seat_cpus)),
                         AGPU__CACHE_LINE, "the executor's deques");
  for (uint32_t i = 0; i < count; ++i)
    atomic_init(&executor->seat_cpus[i], -1);
  // Where there is one to steal from there is nothing to choose.
  if (count > 2)
    agpu__topology_read(&executor->topology, "");
  agpu__outside_init();
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, init_quiet);
  init_condition(&executor->relief);
  // What an executor before this one has left suspended.
  atomic_store_explicit(&executor->tasks_to_stay,
                        agpu__counter_read(AGPU__COUNT_TASKS),
                        memory_order_relaxed);
  executor->seat_count = count;

  uint32_t seated = 0;
  while (seated < count &&
         agpu__exec_hand_over(&executor->seats[seated], /*searching=*/false))
    ++seated;
  executor->worker_count = seated;
  if (seated < count)
    agpu__log(AGPU__LOG_EXEC, "the system gave %u of %u threads", seated,
              count);
  agpu__log(AGPU__LOG_EXEC, "started with %u workers", seated);
}

void agpu__exec_ensure_started(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (atomic_load_explicit(&executor->started, memory_order_acquire))
    return;
  pthread_mutex_lock(&executor->start_lock);
  if (!atomic_load_explicit(&executor->started, memory_order_relaxed)) {
    start(executor);
    atomic_store_explicit(&executor->started, true, memory_order_release);
  }
  pthread_mutex_unlock(&executor->start_lock);
}

void agpu__exec_announce(void) { agpu__counter_add(AGPU__COUNT_TASKS, 1); }

void agpu__exec_submit(agpu__task task) {
  agpu__exec_announce();
  agpu__exec_submit_announced(task);
}

void agpu__exec_submit_announced(agpu__task task) {
  agpu__exec_ensure_started();
  agpu__pass(AGPU__POINT_SUBMIT);
  agpu__seat *seat = agpu__self.seat;
  if (seat)
    agpu__deque_push(&seat->deque, task);
  else
    agpu__outside_push(task);
  agpu__pass(AGPU__POINT_QUEUED);
  agpu__exec_notify();
}

void agpu__exec_submit_next(agpu__task task) {
  // Only where it is the worker's loop that the task returns to: a thread that
  // runs one on top of a wait may have no use for another, and what runs on top
  // of its spawner returns to that.
  if (agpu__self.seat && agpu__self.depth == 1 &&
      agpu__self.started_here == 0 && !agpu__self.next.resume &&
      !agpu__stray(AGPU__POINT_NEXT))
    agpu__self.next = task;
  else
    agpu__exec_submit_announced(task);
}

void agpu__exec_queue_next(void) {
  agpu__task task = agpu__self.next;
  if (!task.resume)
    return;
  agpu__self.next.resume = NULL;
  agpu__exec_submit_announced(task);
}

bool agpu__exec_in_task(void) { return agpu__self.depth > 0; }

uint64_t agpu__exec_task_number(void) { return agpu__self.task_number; }

static bool is_started(void) {
  return atomic_load_explicit(&agpu__the_executor.started,
                              memory_order_acquire);
}

/// Whether a task is queued or runs. Under the lock.
static bool is_busy(agpu__executor *executor) {
  // A thread that helps has taken its task before it is seen not to, and then
  // has queued what that task did.
  return executor->active > 0 || agpu__exec_has_work() ||
         atomic_load_explicit(&executor->helping, memory_order_seq_cst) %
                 AGPU__EXEC_HELP >
             0 ||
         agpu__exec_has_work();
}

void agpu__exec_drain(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!is_started())
    return;
  agpu__task task;
  if (executor->worker_count == 0)
    while (agpu__exec_find(/*patient=*/false, &task))
      agpu__exec_run(task);

  pthread_mutex_lock(&executor->lock);
  while (is_busy(executor)) {
    if (executor->active > 0 || agpu__exec_has_work()) {
      agpu__exec_rest_until_quiet();
      continue;
    }
    // Only a thread that helps is left, which does so briefly.
    pthread_mutex_unlock(&executor->lock);
    (void)sched_yield();
    pthread_mutex_lock(&executor->lock);
  }
  pthread_mutex_unlock(&executor->lock);
}

uint64_t agpu__exec_wakeups(void) {
  agpu__executor *executor = &agpu__the_executor;
  pthread_mutex_lock(&executor->lock);
  uint64_t wakeups =
      executor->wakeups +
      atomic_load_explicit(&executor->helping, memory_order_seq_cst) /
          AGPU__EXEC_HELP;
  pthread_mutex_unlock(&executor->lock);
  return wakeups;
}

bool agpu__exec_is_quiet(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!is_started())
    return true;
  pthread_mutex_lock(&executor->lock);
  bool quiet = !is_busy(executor);
  pthread_mutex_unlock(&executor->lock);
  return quiet;
}

/// As it was before the start. `threads` run no more.
static void reset(agpu__executor *executor) {
  for (uint32_t i = 0; i < executor->seat_count; ++i)
    agpu__deque_destroy(&executor->seats[i].deque);
  agpu__memory_free(executor->seats);
  agpu__memory_free(executor->seat_cpus);
  agpu__topology_destroy(&executor->topology);
  agpu__outside_destroy();
  executor->seats = NULL;
  executor->seat_count = executor->worker_count = 0;
  executor->seat_cpus = NULL;
  // Threads that ended were awake, and one may have been woken to search.
  executor->active = executor->stuck = executor->held = 0;
  atomic_store_explicit(&executor->sleeping, 0, memory_order_relaxed);
  atomic_store_explicit(&executor->searching, 0, memory_order_relaxed);
  while (executor->threads) {
    agpu__exec_thread *thread = executor->threads;
    executor->threads = thread->next;
    free(thread);
  }
  executor->spares = NULL;
  executor->thread_count = 0;
  executor->stopping = false;
  atomic_store_explicit(&executor->wanted_workers, 0, memory_order_relaxed);
  atomic_store_explicit(&executor->started, false, memory_order_release);
}

void agpu__exec_stop(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!is_started())
    return;

  // Threads sleep at their seats or as spares, all on their own parkers.
  pthread_mutex_lock(&executor->lock);
  executor->stopping = true;
  for (agpu__exec_thread *thread = executor->threads; thread;
       thread = thread->next)
    agpu__parker_signal(&thread->parker, AGPU__EXEC_NOTIFIED);
  pthread_mutex_unlock(&executor->lock);

  for (agpu__exec_thread *thread = executor->threads; thread;
       thread = thread->next) {
    agpu__pass_sleep(thread);
    pthread_join(thread->handle, NULL);
  }
  pthread_cond_destroy(&executor->relief);
  agpu__log(AGPU__LOG_EXEC, "stopped after %u threads", executor->thread_count);
  reset(executor);
}

void agpu__exec_fork(agpu__fork_step step) {
  agpu__executor *executor = &agpu__the_executor;
  if (step == AGPU__FORK_BEFORE) {
    pthread_mutex_lock(&executor->start_lock);
    pthread_mutex_lock(&executor->lock);
    agpu__outside_fork(step);
    agpu__schedule_fork(step);
    return;
  }
  agpu__schedule_fork(step);
  agpu__outside_fork(step);
  if (step == AGPU__FORK_IN_CHILD && is_started()) {
    reset(executor);
    // Threads of the parent may have been waiting there, or helping.
    init_quiet();
    executor->sleepers = executor->waiters = NULL;
    atomic_store_explicit(&executor->throttled, 0, memory_order_relaxed);
    atomic_fetch_and_explicit(&executor->helping, ~(AGPU__EXEC_HELP - 1),
                              memory_order_relaxed);
    agpu__parallel_forget();
    agpu__self.seat = NULL;
    if (agpu__self.depth > 0) {
      agpu__self.is_orphan = true;
      executor->active = 1;
    }
  }
  pthread_mutex_unlock(&executor->lock);
  pthread_mutex_unlock(&executor->start_lock);
}
