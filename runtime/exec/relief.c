//===- relief.c - How many tasks are too many -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When HIGH tasks are alive a spawner waits until there are LOW: so few that
// their frames and tokens stay in a core's own cache. "Alive" is
// whatever has been announced or submitted and has not run: queued, running and
// suspended tasks alike, since all of them take memory. (spawn/throttle.c says
// who is looked at, and when.)
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
// LOW count from there (`tasks_to_stay`): the next wait comes HIGH tasks later,
// or as many as stay, so that a program that needs very many waits few times.
// Each wait that is not in vain takes FORGET off again, as does any sight of
// fewer tasks, since a thread that the machine held up for long looks the same.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"

#include "base/memory/counter.h"
#include "base/sync/schedule.h"
#include "exec/executor.h"
#include "exec/watch.h"

#define HIGH 2048
#define LOW 1024
#define FORGET 512
#define SLICE_NS (10 * 1000 * 1000)
#define SLICES 20

static int64_t tasks_to_stay(void) {
  return atomic_load_explicit(&agpu__the_executor.tasks_to_stay,
                              memory_order_relaxed);
}

static void set_tasks_to_stay(int64_t tasks) {
  atomic_store_explicit(&agpu__the_executor.tasks_to_stay,
                        tasks > 0 ? tasks : 0, memory_order_relaxed);
}

static bool is_relieved(int64_t alive) {
  return alive <= tasks_to_stay() + LOW;
}

int64_t agpu__exec_room(void) {
  int64_t alive = agpu__counter_read(AGPU__COUNT_TASKS);
  if (alive < tasks_to_stay())
    set_tasks_to_stay(alive);
  int64_t stay = tasks_to_stay();
  return stay + (stay > HIGH ? stay : HIGH) - alive;
}

void agpu__exec_relieve(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (atomic_load_explicit(&executor->throttled, memory_order_relaxed) == 0 ||
      !is_relieved(agpu__counter_read(AGPU__COUNT_TASKS)))
    return;
  // A thread that saw the number before it was this low waits by now. It is
  // woken without the lock, which it would find taken: on the same CPU that
  // would be two more switches of threads.
  agpu__mutex_lock(&executor->lock);
  agpu__mutex_unlock(&executor->lock);
  agpu__condition_broadcast(&executor->relief);
}

/// Waits until there are few enough tasks, or in vain.
static void wait_for_tasks(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
  int64_t least = INT64_MAX;
  int idle = 0;
  for (;;) {
    int64_t alive = agpu__counter_read(AGPU__COUNT_TASKS);
    if (is_relieved(alive)) {
      set_tasks_to_stay(tasks_to_stay() - FORGET);
      return;
    }
    if (alive < least) {
      least = alive;
      idle = 0;
    }
    if (idle == SLICES ||
        (agpu__exec_none_at_work(executor) && !agpu__exec_has_work() &&
         !agpu__exec_is_pending())) {
      set_tasks_to_stay(least);
      return;
    }
    agpu__pass_sleep(&executor->relief);
    if (!agpu__condition_wait_for(&executor->relief, &executor->lock, SLICE_NS))
      ++idle;
  }
}

void agpu__exec_hold(void) {
  agpu__executor *executor = &agpu__the_executor;
  bool in_task = agpu__exec_in_task();
  agpu__mutex_lock(&executor->lock);
  agpu__exec_count_held(executor, in_task);
  wait_for_tasks(executor);
  agpu__exec_count_released(executor, in_task);
  agpu__mutex_unlock(&executor->lock);
}
