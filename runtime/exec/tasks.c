//===- tasks.c - Queueing, finding and running a task ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task that a worker spawns goes into its deque, one of another thread into
// that thread's outbox; one that is handed on goes nowhere: its thread runs it
// next. A worker looks in this order: what it was handed, its own deque, the
// threads outside, the other workers' deques. What it was handed is gone before
// it runs anything, since nobody could take it away meanwhile.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"

#include "base/memory/counter.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/report/fatal.h"
#include "base/sync/schedule.h"
#include "base/trace/names.h"
#include "base/trace/trace.h"
#include "exec/executor.h"

#include <stdlib.h>

/// Tasks taken from a thread outside at once.
#define BATCH 32

/// One in so many tasks a worker takes from outside first, so that these wait
/// no longer than that after ones that spawn each other.
#ifndef AGPU__EXEC_FAIRNESS // a test has fewer
#define AGPU__EXEC_FAIRNESS 64
#endif

/// Notifies observers, out of line: the usual way is short.
static __attribute__((noinline, cold)) void
notify_of(agpu__trace_kind kind, agpu__point point, agpu__task task) {
  agpu__schedule_pass(point);
  if (!agpu__trace_has_listener())
    return;
  // A task without a handle is known by its function.
  const void *code = agpu__trace_code(task.handle, task.resume);
  agpu__trace_record(kind,
                     task.handle ? (uintptr_t)task.handle : (uintptr_t)code, 0,
                     code, 0, 0, 0);
}

static __attribute__((noinline, cold)) void notify_of_end(void) {
  agpu__schedule_pass(AGPU__POINT_RAN);
  agpu__trace_record(AGPU__TRACE_RAN, 0, 0, NULL, 0, 0, 0);
}

void agpu__exec_queue(agpu__task task) {
  if (agpu__hooks_on())
    notify_of(AGPU__TRACE_QUEUE, AGPU__POINT_SUBMIT, task);
  agpu__seat *seat = agpu__hot.exec.seat;
  if (seat)
    agpu__deque_push(&seat->deque, task);
  else
    agpu__outside_push(&agpu__the_executor.outside, task);
  agpu__pass(AGPU__POINT_QUEUED);
  agpu__exec_notify();
}

static agpu__task take_next(void) {
  agpu__task task = {agpu__hot.exec.next_handle, agpu__hot.exec.next_resume};
  agpu__hot.exec.next_resume = NULL;
  return task;
}

void agpu__exec_queue_next(void) {
  if (agpu__hot.exec.next_resume)
    agpu__exec_queue(take_next());
}

static bool take_outside(agpu__seat *seat, bool patient, agpu__task *out_task) {
  agpu__pass(AGPU__POINT_TAKE);
  if (!seat)
    return agpu__outside_take(&agpu__the_executor.outside, 0, 1, 1, NULL,
                              out_task) == 1;

  agpu__task tasks[BATCH];
  size_t taken = agpu__outside_take(&agpu__the_executor.outside, seat->tick,
                                    agpu__the_executor.seat_count, BATCH,
                                    patient ? &seat->backoff : NULL, tasks);
  if (taken == 0)
    return false;
  agpu__pass(AGPU__POINT_TAKE);
  if (taken > 1) {
    agpu__deque_push_all(&seat->deque, tasks + 1, taken - 1);
    // Between the two queues no one could see them.
    agpu__exec_notify();
  }
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

/// Takes the oldest of another worker's tasks. Thieves begin anywhere, so that
/// they do not all meet at the same worker.
static bool steal(agpu__seat *seat, agpu__task *out_task) {
  const agpu__executor *executor = &agpu__the_executor;
  uint32_t count = executor->seat_count;
  bool again;
  do {
    again = false;
    uint32_t start = seat ? next_random(&seat->random) % count : 0;
    for (uint32_t i = 0; i < count; ++i) {
      agpu__seat *victim = &executor->seats[(start + i) % count];
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

/// What the worker was handed, or the newest in its deque.
static inline bool take_own(agpu__seat *seat, agpu__task *out_task) {
  if (agpu__hot.exec.next_resume) {
    *out_task = take_next();
    return true;
  }
  return agpu__deque_pop(&seat->deque, out_task);
}

/// Whether the next task looked for is to come from outside, if there is any.
static bool is_turn_of_outside(const agpu__seat *seat) {
  return seat->tick % AGPU__EXEC_FAIRNESS == AGPU__EXEC_FAIRNESS - 1;
}

bool agpu__exec_find(bool patient, agpu__task *out_task) {
  agpu__pass(AGPU__POINT_FIND);
  agpu__seat *seat = agpu__hot.exec.seat;
  if (seat) {
    bool from_outside = is_turn_of_outside(seat);
    ++seat->tick;
    if (from_outside || agpu__stray(AGPU__POINT_FIND)) {
      agpu__exec_relieve();
      if (take_outside(seat, /*patient=*/false, out_task)) {
        agpu__exec_queue_next();
        return true;
      }
    }
    if (take_own(seat, out_task))
      return true;
  }
  return take_outside(seat, patient, out_task) || steal(seat, out_task);
}

static inline void run(agpu__task task) {
  // Nobody could take it away, whatever this task does.
  AGPU__ASSERT(!agpu__hot.exec.next_resume);
  ++agpu__hot.exec.depth;
  ++agpu__hot.exec.task_number;
  if (agpu__hot.exec.spawns_left < AGPU__EXEC_FREE_SPAWNS)
    agpu__hot.exec.spawns_left = AGPU__EXEC_FREE_SPAWNS;
  if (agpu__hooks_on())
    notify_of(AGPU__TRACE_RUN, AGPU__POINT_RUN, task);
  agpu__task_run(task);
  if (agpu__hooks_on())
    notify_of_end();
  --agpu__hot.exec.depth;
  agpu__counter_add(AGPU__COUNT_TASKS, -1);
}

void agpu__exec_run(agpu__task task) { run(task); }

void agpu__exec_run_with_own(agpu__task task) {
  for (;;) {
    run(task);
    // A task may give the seat away, and what is drawn is drawn in find.
    agpu__seat *seat = agpu__hot.exec.seat;
    if (!seat || is_turn_of_outside(seat) || agpu__hooks_on() ||
        !take_own(seat, &task))
      return;
    ++seat->tick;
  }
}

void agpu__exec_end_orphan(void) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, NULL,
                                 "a task that forked has ended in the child, "
                                 "which has to exec or exit before that"),
              NULL, EXIT_FAILURE);
}
