//===- throttle.c - Spawners that are too fast ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that spawns regions is often faster than the threads that run them,
// and one of those that is held up in the middle of a chain leaves all later
// links suspended. When HIGH tasks are alive the spawner waits until there are
// LOW. "Alive" is whatever has been announced or submitted and has not run:
// queued, running and suspended tasks alike, since all of them take memory.
//
// The spawner does not run tasks meanwhile: one of them might block in turn for
// something that the spawner does later, on top of the spawner's stack.
//
// The wait ends whatever the tasks do. In vain it is
//
// - at once, when no thread is at work, no task is queued and no device work is
//   pending: all tasks alive are suspended, and need what this spawner or
//   another thread from outside does later;
// - after SLICES of SLICE_NS in which there never were fewer tasks than before:
//   what they need may be a lock that the spawner holds.
//
// Tasks that were waited for in vain stay, for all one knows, and so HIGH and
// LOW count from there (`tasks_to_stay`): the next wait comes HIGH tasks later.
// Each wait that is not in vain takes FORGET off again, as does any sight of
// fewer tasks, since a thread that the machine held up for long looks the same.
//
// A spawner inside a task has a deque that only others empty while it spawns.
// It gives its seat to another thread, so that its tasks run, and goes on as a
// thread from outside.
//
// A task that spawns few is no such spawner, and is not looked at: in a deep
// recursion all tasks alive are suspended until the deepest have run, whose
// spawners must not be held up.
//
// Nobody counts all tasks at each spawn: a thread looks at the sum (see
// base/memory/counter.h) the later the further it is from HIGH. So there may be
// more than HIGH, by LOOK_AT_LEAST to LOOK_AT_MOST for each thread that spawns.
//
//===----------------------------------------------------------------------===//

#include "exec/internal.h"

#include "base/memory/counter.h"
#include "base/os/clock.h"

#include <time.h>

#define HIGH 8192
#define LOW 4096
#define FORGET 512
#define LOOK_AT_LEAST 16
#define LOOK_AT_MOST 1024
#define SLICE_NS (10 * 1000 * 1000)
#define SLICES 20

static int64_t tasks_to_stay(agpu__executor *executor) {
  return atomic_load_explicit(&executor->tasks_to_stay, memory_order_relaxed);
}

static void set_tasks_to_stay(agpu__executor *executor, int64_t tasks) {
  atomic_store_explicit(&executor->tasks_to_stay, tasks > 0 ? tasks : 0,
                        memory_order_relaxed);
}

static bool is_relieved(agpu__executor *executor, int64_t alive) {
  return alive <= tasks_to_stay(executor) + LOW;
}

/// Whether every thread that is inside a task sleeps, or is a spawner that
/// waits here.
static bool none_at_work(const agpu__executor *executor) {
  return executor->active == executor->stuck + executor->held;
}

void agpu__exec_lull(agpu__executor *executor) {
  if (atomic_load_explicit(&executor->throttled, memory_order_relaxed) > 0 &&
      none_at_work(executor))
    pthread_cond_broadcast(&executor->relief);
}

void agpu__exec_relieve(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!is_relieved(executor, agpu__counter_read(AGPU__COUNT_TASKS)))
    return;
  pthread_mutex_lock(&executor->lock);
  pthread_cond_broadcast(&executor->relief);
  pthread_mutex_unlock(&executor->lock);
}

/// Waits for a change, or one slice. False if time was up. Under the lock.
static bool wait_a_slice(agpu__executor *executor) {
  struct timespec limit;
  agpu__pass_sleep(&executor->relief);
  (void)clock_gettime(CLOCK_MONOTONIC, &limit);
  limit.tv_nsec += SLICE_NS;
  if (limit.tv_nsec >= AGPU__NS_PER_SECOND) {
    limit.tv_nsec -= AGPU__NS_PER_SECOND;
    ++limit.tv_sec;
  }
  return pthread_cond_timedwait(&executor->relief, &executor->lock, &limit) ==
         0;
}

/// Waits until there are few enough tasks, or in vain. Under the lock.
static void wait_for_tasks(agpu__executor *executor) {
  int64_t least = INT64_MAX;
  int idle = 0;
  for (;;) {
    int64_t alive = agpu__counter_read(AGPU__COUNT_TASKS);
    if (is_relieved(executor, alive)) {
      set_tasks_to_stay(executor, tasks_to_stay(executor) - FORGET);
      return;
    }
    if (alive < least) {
      least = alive;
      idle = 0;
    }
    if (idle == SLICES || (none_at_work(executor) && !agpu__exec_has_work() &&
                           !agpu__exec_is_pending())) {
      set_tasks_to_stay(executor, least);
      return;
    }
    if (!wait_a_slice(executor))
      ++idle;
  }
}

static void hold(agpu__executor *executor) {
  int in_task = agpu__exec_in_task() ? 1 : 0;
  pthread_mutex_lock(&executor->lock);
  atomic_fetch_add_explicit(&executor->throttled, 1, memory_order_relaxed);
  executor->held += in_task;
  agpu__exec_lull(executor); // for the others
  wait_for_tasks(executor);
  executor->held -= in_task;
  atomic_fetch_sub_explicit(&executor->throttled, 1, memory_order_relaxed);
  pthread_mutex_unlock(&executor->lock);
}

/// Returns the number of spawns until the next look.
static uint32_t look(agpu__executor *executor) {
  int64_t alive = agpu__counter_read(AGPU__COUNT_TASKS);
  if (alive < tasks_to_stay(executor))
    set_tasks_to_stay(executor, alive);
  int64_t room = tasks_to_stay(executor) + HIGH - alive;
  if (room > 0) {
    int64_t next = room / 4;
    return next < LOOK_AT_LEAST  ? LOOK_AT_LEAST
           : next > LOOK_AT_MOST ? LOOK_AT_MOST
                                 : (uint32_t)next;
  }
  if (executor->worker_count == 0)
    return LOOK_AT_MOST;
  if (agpu__self.seat) {
    agpu__exec_queue_next();
    // Without a thread to take over, no one would run this spawner's tasks.
    if (!agpu__exec_hand_over(agpu__self.seat, /*searching=*/false))
      return LOOK_AT_MOST;
    agpu__self.seat = NULL;
  }
  hold(executor);
  return LOOK_AT_LEAST;
}

void agpu__exec_throttle(void) {
  if (agpu__self.started_here > 0)
    return;
  if (agpu__self.spawns_left > 0)
    --agpu__self.spawns_left;
  else
    agpu__self.spawns_left = look(&agpu__the_executor);
}
