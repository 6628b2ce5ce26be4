//===- seat.c - Seats that change threads ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are as many seats as workers, and at any time at most one thread sits
// at each. Whoever waits inside a task while there is work gives the seat to a
// spare thread, or to a new one where there is none, and with it the deque and
// the right to run tasks; the signal SEATED publishes what the old owner did.
//
//===----------------------------------------------------------------------===//

#include "exec/seat.h"

#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/report/assert.h"
#include "base/report/log.h"
#include "base/sync/schedule.h"
#include "exec/sleep.h"
#include "exec/worker.h"

#include <stdio.h>
#include <stdlib.h>

/// Spare threads that may wait inside tasks at the same time, beyond one
/// thread per seat.
#define SPARE_THREADS 1000

/// A new thread, not yet seated. NULL where none is available.
static agpu__exec_thread *create_thread(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  agpu__exec_thread *thread = calloc(1, sizeof(*thread));
  if (!thread)
    return NULL;
  agpu__parker_init(&thread->parker);
  char name[16];
  (void)snprintf(name, sizeof(name), "agpu-%u", executor->thread_count % 10000);
  if (agpu__thread_create(&thread->handle, name, agpu__exec_work, thread) !=
      0) {
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
  AGPU__ASSERT(seat == agpu__self.exec.seat || !agpu__exec_has_started());
  agpu__pass(AGPU__POINT_HAND_OVER);
  agpu__mutex_lock(&executor->lock);
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
    agpu__exec_count_in(executor);
    thread->seat = seat;
    thread->searching = searching;
    agpu__parker_signal(&thread->parker, AGPU__EXEC_SEATED);
  }
  agpu__mutex_unlock(&executor->lock);
  if (created && count > executor->seat_count)
    agpu__log(AGPU__LOG_EXEC, "thread %u, for a task that waits", count);
  return thread != NULL;
}
