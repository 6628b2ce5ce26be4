//===- worker.c - The workers' threads ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/internal.h"

#include "base/memory/counter.h"
#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/report/assert.h"
#include "base/report/fatal.h"
#include "base/report/log.h"
#include "exec/policy/steal_order.h"
#include "exec/queue/outside.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/// Spare threads that may wait inside tasks at the same time, beyond one
/// thread per seat.
#define SPARE_THREADS 1000

/// Tasks taken from a thread outside at once.
#define BATCH 32

/// One in so many tasks a worker takes from outside first, so that these wait
/// no longer than that behind ones that spawn each other.
#ifndef AGPU__EXEC_FAIRNESS // a test has fewer
#define AGPU__EXEC_FAIRNESS 64
#endif

AGPU__HOT_THREAD_LOCAL agpu__exec_self agpu__self;

void agpu__exec_run(agpu__task task) {
  // Nobody could take it away, whatever this task does.
  AGPU__ASSERT(!agpu__self.next.resume);
  ++agpu__self.depth;
  ++agpu__self.task_number;
  if (agpu__self.spawns_left < AGPU__EXEC_FREE_SPAWNS)
    agpu__self.spawns_left = AGPU__EXEC_FREE_SPAWNS;
  agpu__pass(AGPU__POINT_RUN);
  agpu__task_run(task);
  agpu__pass(AGPU__POINT_RAN);
  --agpu__self.depth;
  agpu__counter_add(AGPU__COUNT_TASKS, -1);
}

static bool take_outside(agpu__seat *seat, bool patient, agpu__task *out_task) {
  agpu__pass(AGPU__POINT_TAKE);
  if (!seat)
    return agpu__outside_take(0, 1, 1, NULL, out_task) == 1;

  agpu__task tasks[BATCH];
  size_t taken =
      agpu__outside_take(seat->tick, agpu__the_executor.seat_count, BATCH,
                         patient ? &seat->patience : NULL, tasks);
  if (taken == 0)
    return false;
  agpu__pass(AGPU__POINT_TAKE);
  // Pushed last first: popping gives them in the order they came.
  for (size_t i = taken - 1; i > 0; --i)
    agpu__deque_push(&seat->deque, tasks[i]);
  // Between the two queues no one could see them.
  if (taken > 1)
    agpu__exec_notify();
  *out_task = tasks[0];
  return true;
}

static uint32_t next_random(uint32_t *state) {
  // xorshift32; any nonzero state will do.
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

/// Whom to steal from, nearest first, as seen from where the thread runs now.
static void begin_order(agpu__steal_order *order, agpu__seat *seat) {
  agpu__executor *executor = &agpu__the_executor;
  int32_t here = -1;
  if (executor->topology.cpu_count > 0) {
    here = sched_getcpu();
    _Atomic(int32_t) *cpu =
        seat ? &executor->seat_cpus[seat - executor->seats] : NULL;
    if (cpu && atomic_load_explicit(cpu, memory_order_relaxed) != here)
      atomic_store_explicit(cpu, here, memory_order_relaxed);
  }
  uint32_t start = seat ? next_random(&seat->random) % executor->seat_count : 0;
  agpu__steal_order_begin(order, &executor->topology, executor->seat_cpus,
                          executor->seat_count, start, here);
}

static bool steal(agpu__seat *seat, agpu__task *out_task) {
  bool again;
  do {
    again = false;
    agpu__steal_order order;
    uint32_t next;
    begin_order(&order, seat);
    while (agpu__steal_order_next(&order, &next)) {
      agpu__seat *victim = &agpu__the_executor.seats[next];
      if (victim == seat)
        continue;
      agpu__pass(AGPU__POINT_STEAL);
      switch (agpu__deque_steal(&victim->deque, out_task)) {
      case AGPU__STEAL_TAKEN: return true;
      case AGPU__STEAL_LOST: again = true; break;
      case AGPU__STEAL_EMPTY: break;
      }
    }
  } while (again);
  return false;
}

bool agpu__exec_find(bool patient, agpu__task *out_task) {
  agpu__pass(AGPU__POINT_FIND);
  agpu__seat *seat = agpu__self.seat;
  if (seat) {
    if (++seat->tick % AGPU__EXEC_FAIRNESS == 0 ||
        agpu__stray(AGPU__POINT_FIND)) {
      if (atomic_load_explicit(&agpu__the_executor.throttled,
                               memory_order_relaxed) > 0)
        agpu__exec_relieve();
      if (take_outside(seat, /*patient=*/false, out_task)) {
        agpu__exec_queue_next();
        return true;
      }
    }
    if (agpu__self.next.resume) {
      *out_task = agpu__self.next;
      agpu__self.next.resume = NULL;
      return true;
    }
    if (agpu__deque_pop(&seat->deque, out_task))
      return true;
  }
  return take_outside(seat, patient, out_task) || steal(seat, out_task);
}

/// How long a searcher waits for work before it goes to sleep: at least, and at
/// most where that has paid off, since waking a thread takes as long.
#define SPIN_LEAST_NS 10000
#define SPIN_MOST_NS 100000

/// Pauses of the CPU between two looks, and how often they double while a
/// thread outside runs its tasks itself.
#define PAUSES 8
#define DOUBLINGS 3

/// Waits for work. Whether there is any.
static bool spin(agpu__seat *seat) {
  if (agpu__stray(AGPU__POINT_SPIN))
    return false;
  if (agpu__the_executor.seat_count == 1) {
    // With one CPU, what it waits for runs only if this thread does not.
    for (uint32_t looks = 0; agpu__exec_spin(looks); ++looks)
      if (agpu__exec_has_work())
        return true;
    return false;
  }
  uint32_t in_vain = seat->patience.in_vain;
  int pauses = PAUSES << (in_vain < DOUBLINGS ? in_vain : DOUBLINGS);
  int64_t end = agpu__clock_now_ns() +
                (seat->spin_ns > SPIN_LEAST_NS ? seat->spin_ns : SPIN_LEAST_NS);
  do {
    for (int i = 0; i < pauses; ++i)
      agpu__pause();
    if (agpu__exec_has_work())
      return true;
  } while (agpu__clock_now_ns() < end);
  return false;
}

/// Sleeps until there may be work. Had the thread waited a little longer, it
/// would have saved that: it does so next time. A long sleep says that there
/// was nothing to wait for.
static void sleep_for_work(agpu__seat *seat, agpu__parker *parker,
                           bool *searching) {
  int64_t before = agpu__clock_now_ns();
  agpu__exec_sleep(parker, 0, /*in_task=*/false, searching);
  int64_t slept = agpu__clock_now_ns() - before;
  if (slept > SPIN_MOST_NS)
    seat->spin_ns = SPIN_LEAST_NS;
  else if (seat->spin_ns < SPIN_MOST_NS)
    seat->spin_ns += slept;
  if (seat->spin_ns > SPIN_MOST_NS)
    seat->spin_ns = SPIN_MOST_NS;
}

/// Runs tasks until the thread has given its seat away inside one, or the
/// executor stops.
static void work(agpu__parker *parker, bool searching) {
  while (agpu__self.seat) {
    agpu__task task;
    bool found = agpu__exec_find(/*patient=*/true, &task);
    if (!found && !searching) {
      searching = agpu__exec_begin_search();
      // Patience is for one thread alone; the others go to sleep.
      found = !searching && agpu__exec_find(/*patient=*/false, &task);
    }
    if (found) {
      if (searching) {
        searching = false;
        agpu__exec_end_search();
      }
      agpu__exec_run(task);
      continue;
    }
    if (searching && spin(agpu__self.seat))
      continue;
    sleep_for_work(agpu__self.seat, parker, &searching);
    // Written before the last wake-up, which was under the lock.
    if (agpu__the_executor.stopping)
      return;
  }
}

void agpu__exec_end_orphan(void) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, NULL,
                                 "a task that forked has ended in the child, "
                                 "which has to exec or exit before"),
              NULL, EXIT_FAILURE);
}

static void *thread_main(void *argument) {
  agpu__exec_thread *self = argument;
  agpu__executor *executor = &agpu__the_executor;
  for (;;) {
    uint32_t bits = agpu__parker_wait(&self->parker,
                                      AGPU__EXEC_SEATED | AGPU__EXEC_NOTIFIED);
    if (!(bits & AGPU__EXEC_SEATED))
      return NULL;
    agpu__parker_clear(&self->parker, AGPU__EXEC_SEATED);
    agpu__pass(AGPU__POINT_WOKEN);
    agpu__self.seat = self->seat;
    work(&self->parker, self->searching);
    if (agpu__self.is_orphan)
      agpu__exec_end_orphan();

    pthread_mutex_lock(&executor->lock);
    bool stopping = executor->stopping;
    if (!stopping) {
      agpu__exec_count_out(executor);
      self->next_spare = executor->spares;
      executor->spares = self;
    }
    pthread_mutex_unlock(&executor->lock);
    if (stopping)
      return NULL;
  }
}

/// A new thread, not yet seated. Under the lock. NULL where there is none.
static agpu__exec_thread *create_thread(agpu__executor *executor) {
  agpu__exec_thread *thread = calloc(1, sizeof(*thread));
  if (!thread)
    return NULL;
  agpu__parker_init(&thread->parker);
  char name[16];
  (void)snprintf(name, sizeof(name), "agpu-%u", executor->thread_count % 10000);
  if (agpu__thread_create(&thread->handle, name, thread_main, thread) != 0) {
    free(thread);
    return NULL;
  }
  thread->next = executor->threads;
  executor->threads = thread;
  ++executor->thread_count;
  return thread;
}

bool agpu__exec_hand_over(agpu__seat *seat, bool searching) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__pass(AGPU__POINT_HAND_OVER);
  pthread_mutex_lock(&executor->lock);
  agpu__exec_thread *thread = executor->spares;
  bool created = false;
  if (thread) {
    executor->spares = thread->next_spare;
  } else if (executor->thread_count < executor->seat_count + SPARE_THREADS) {
    thread = create_thread(executor);
    created = thread != NULL;
  }
  uint32_t count = executor->thread_count;
  if (thread) {
    ++executor->active;
    ++executor->wakeups;
    thread->seat = seat;
    thread->searching = searching;
    agpu__parker_signal(&thread->parker, AGPU__EXEC_SEATED);
  }
  pthread_mutex_unlock(&executor->lock);
  if (created && count > executor->seat_count)
    agpu__log(AGPU__LOG_EXEC, "thread %u, for a task that waits", count);
  return thread != NULL;
}
