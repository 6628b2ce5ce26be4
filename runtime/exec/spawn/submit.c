//===- submit.c - Submitting tasks ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task counts as alive from when it is announced (base/memory/counter.h) to
// when it has run. Where nothing has been submitted before, the executor
// starts.
//
//===----------------------------------------------------------------------===//

#include "base/memory/counter.h"
#include "base/os/self.h"
#include "base/sync/schedule.h"
#include "exec/census.h"
#include "exec/executor.h"
#include "exec/tasks.h"

void agpu__exec_announce(void) { agpu__counter_add(AGPU__COUNT_TASKS, 1); }

void agpu__exec_submit(agpu__task task) {
  agpu__exec_announce();
  agpu__exec_submit_announced(task);
}

void agpu__exec_submit_announced(agpu__task task) {
  if (!agpu__exec_has_started())
    agpu__exec_start();
  agpu__exec_queue(task);
}

void agpu__exec_submit_next(agpu__task task) {
  // Only where it is the worker's loop that the task returns to: a thread that
  // runs one on top of a wait may have no use for another, and what runs on top
  // of its spawner returns to that.
  if (agpu__self.exec.seat && agpu__self.exec.depth == 1 &&
      agpu__self.exec.started_here == 0 && !agpu__self.exec.next_resume &&
      !agpu__stray(AGPU__POINT_NEXT)) {
    agpu__self.exec.next_handle = task.handle;
    agpu__self.exec.next_resume = task.resume;
  } else {
    agpu__exec_submit_announced(task);
  }
}
