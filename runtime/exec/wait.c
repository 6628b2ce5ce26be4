//===- wait.c - Waits inside and outside tasks --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three ways to wait, by what the thread is: on top of its own stack it runs
// tasks only where no other thread could (no worker has started, or there is no
// thread for its seat); at a seat it keeps that while there is nothing to run;
// without one it sleeps, outside tasks after those of its own that are brief,
// or that it waits for.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "base/sync/schedule.h"
#include "base/trace/trace.h"
#include "exec/census.h"
#include "exec/executor.h"

#include <stddef.h>

static bool is_done(agpu__parker *parker) {
  return (agpu__parker_poll(parker) & AGPU__EXEC_DONE) != 0;
}

static void run_on_top(agpu__task task) {
  agpu__choices choices = agpu__hot.choices;
  agpu__hot.choices = (agpu__choices){0};
  agpu__exec_run(task);
  agpu__hot.choices = choices;
}

/// Runs one task on top of whatever this thread does, if there is one.
static bool help(agpu__search *search) {
  agpu__task task;
  if (!agpu__exec_find(/*patient=*/false, &task))
    return false;
  agpu__exec_end_search(search);
  run_on_top(task);
  return true;
}

/// Where there are no other threads to run tasks: helps until done.
static void wait_helping(agpu__parker *parker) {
  bool in_task = agpu__exec_in_task();
  if (!in_task)
    agpu__exec_activate();
  agpu__search search = AGPU__SEARCHES_NOT;
  while (!is_done(parker))
    if (!help(&search))
      agpu__exec_sleep(parker, AGPU__EXEC_DONE, in_task, &search);
  agpu__exec_end_search(&search);
  if (!in_task)
    agpu__exec_deactivate();
}

/// Inside a task, at a seat: keeps the seat while there is nothing to run.
static void wait_seated(agpu__parker *parker) {
  // A caller that did not return after agpu__exec_submit_next, as it has to.
  agpu__exec_queue_next();
  agpu__search search = AGPU__SEARCHES_NOT;
  for (uint32_t looks = AGPU__EXEC_LOOKS; !is_done(parker); ++looks) {
    if (!agpu__hot.exec.seat) {
      // What ran on top of this has given it away.
      agpu__exec_sleep_seatless(parker);
      return;
    }
    if (!agpu__exec_has_work()) {
      if (agpu__exec_spin(looks))
        continue;
      agpu__exec_sleep(parker, AGPU__EXEC_DONE, /*in_task=*/true, &search);
    } else if (agpu__exec_hand_over(agpu__hot.exec.seat, search)) {
      agpu__hot.exec.seat = NULL;
      agpu__exec_sleep_seatless(parker);
      return;
    } else {
      (void)help(&search);
    }
  }
  agpu__exec_end_search(&search);
}

bool agpu__exec_help(agpu__wanted wanted) {
  agpu__task task;
  if (agpu__exec_in_task() || !agpu__outside_begin_help(wanted, &task))
    return false;
  agpu__hot.exec.help = AGPU__HELPS;
  run_on_top(task);
  if (agpu__hot.exec.is_orphan)
    agpu__exec_end_orphan();
  agpu__exec_end_help();
  agpu__hot.exec.ran_inline = 0;
  return true;
}

/// All seats have threads that run whatever this one waits for, often soon.
/// Outside tasks it may be the next that this thread has spawned.
static void wait_seatless(agpu__parker *parker, agpu__wanted wanted) {
  while (agpu__exec_help(wanted))
    if (is_done(parker))
      return;
  for (uint32_t looks = 0; agpu__exec_spin(looks); ++looks)
    if (is_done(parker))
      return;
  agpu__exec_sleep_seatless(parker);
}

static inline void wait(agpu__parker *parker, agpu__wanted wanted) {
  if (agpu__the_executor.worker_count == 0)
    wait_helping(parker);
  else if (agpu__hot.exec.seat)
    wait_seated(parker);
  else
    wait_seatless(parker, wanted);
}

/// The same, where somebody listens.
static __attribute__((noinline, cold)) void
notify_and_wait(agpu__parker *parker, agpu__wanted wanted) {
  agpu__schedule_pass(AGPU__POINT_WAIT);
  agpu__trace_record(AGPU__TRACE_WAIT, (uintptr_t)parker, 0, NULL, 0, 0, 0);
  wait(parker, wanted);
  agpu__trace_record(AGPU__TRACE_WAIT_END, (uintptr_t)parker, 0, NULL, 0, 0, 0);
}

void agpu__exec_wait(agpu__parker *parker, agpu__wanted wanted) {
  if (is_done(parker))
    return;
  agpu__hot.exec.ran_inline = 0;
  if (!agpu__exec_has_started())
    agpu__exec_start();
  if (agpu__hooks_on())
    notify_and_wait(parker, wanted);
  else
    wait(parker, wanted);
}
