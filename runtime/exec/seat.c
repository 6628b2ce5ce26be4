//===- seat.c - Workers, and seats that change threads --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are as many seats as workers, and at any time at most one thread sits
// at each. A thread that waits inside a task while there is work gives the seat
// to a spare thread, or to a new one where there is none, and with it the deque
// and the right to run tasks; the signal SEATED publishes what the old owner
// did.
//
// At a seat a thread runs one task after the other. Without any it becomes the
// searcher, if there is none, and waits for work for some microseconds; then it
// sleeps. A task in which it waits may take its seat away (wait.c): back from
// that task it is a spare thread, which waits for another seat.
//
//===----------------------------------------------------------------------===//

#include "exec/census.h"

#include "base/os/clock.h"
#include "base/os/self.h"
#include "base/os/thread.h"
#include "base/report/assert.h"
#include "base/report/log.h"
#include "base/sync/schedule.h"

#include <stdio.h>
#include <stdlib.h>

/// How long a searcher waits for work before it goes to sleep: at least, and at
/// most where that has paid off, since until a thread is woken takes as long: a
/// spawner keeps its first tasks (spawn/enough.c), and then the kernel has to.
#define SPIN_LEAST_NS 10000
#define SPIN_MOST_NS 200000

/// Pauses of the CPU between two looks, and how often they double while a
/// thread outside runs its tasks itself.
#define PAUSES 8
#define DOUBLINGS 3

/// A look that takes so long was interrupted: others want the CPU.
#define HELD_UP_NS 50000

static bool look(uint32_t looks) {
  for (; agpu__exec_spin(looks); ++looks)
    if (agpu__exec_has_work())
      return true;
  return false;
}

/// Waits for work. Whether there is any.
static bool spin(agpu__seat *seat) {
  if (agpu__stray(AGPU__POINT_SPIN))
    return false;
  if (agpu__the_executor.seat_count == 1)
    return look(0);
  if (look(AGPU__EXEC_LOOKS))
    return true;
  uint32_t in_vain = seat->backoff.in_vain;
  int pauses = PAUSES << (in_vain < DOUBLINGS ? in_vain : DOUBLINGS);
  // A spawner that is about to block elsewhere takes as long as few pauses.
  if (agpu__backoff_is_over(&seat->backoff))
    pauses = 1;
  int64_t now = agpu__clock_now_ns();
  int64_t before, end = now + (seat->spin_ns > SPIN_LEAST_NS ? seat->spin_ns
                                                             : SPIN_LEAST_NS);
  do {
    for (int i = 0; i < pauses; ++i)
      agpu__pause();
    if (agpu__exec_has_work())
      return true;
    before = now;
    now = agpu__clock_now_ns();
  } while (now < end && now - before < HELD_UP_NS);
  return false;
}

/// Sleeps until there may be work. Had the thread waited a little longer, it
/// would have saved that: it does so next time. A long sleep says that there
/// was nothing to wait for.
static void sleep_for_work(agpu__seat *seat, agpu__parker *parker,
                           agpu__search *search) {
  int64_t before = agpu__clock_now_ns();
  agpu__exec_sleep(parker, 0, /*in_task=*/false, search);
  int64_t slept = agpu__clock_now_ns() - before;
  int64_t longer = seat->spin_ns + slept;
  seat->spin_ns = slept > SPIN_MOST_NS    ? SPIN_LEAST_NS
                  : longer > SPIN_MOST_NS ? SPIN_MOST_NS
                                          : longer;
}

/// Written before the last wake-up, which was under the lock.
AGPU__UNCHECKED_LOCKS static bool is_stopping(void) {
  return agpu__the_executor.stopping;
}

/// Runs tasks until the thread has given its seat away inside one, or the
/// executor stops.
static void work(agpu__parker *parker, agpu__search search) {
  while (agpu__hot.exec.seat) {
    agpu__task task;
    bool found = agpu__exec_find(/*patient=*/true, &task);
    if (!found && search == AGPU__SEARCHES_NOT) {
      if (agpu__exec_begin_search())
        search = AGPU__SEARCHES;
      else // Patience is for searchers; the others go to sleep.
        found = agpu__exec_find(/*patient=*/false, &task);
    }
    if (found) {
      agpu__exec_end_search(&search);
      agpu__exec_run_with_own(task);
      continue;
    }
    if (search && spin(agpu__hot.exec.seat)) {
      search = AGPU__SEARCHES;
      continue;
    }
    sleep_for_work(agpu__hot.exec.seat, parker, &search);
    agpu__hot.exec.ran_inline = 0;
    if (is_stopping())
      return;
  }
}

void *agpu__exec_work(void *argument) {
  agpu__exec_thread *self = argument;
  agpu__executor *executor = &agpu__the_executor;
  for (;;) {
    uint32_t bits = agpu__parker_wait(&self->parker,
                                      AGPU__EXEC_SEATED | AGPU__EXEC_NOTIFIED);
    if (!(bits & AGPU__EXEC_SEATED))
      return NULL;
    agpu__parker_clear(&self->parker, AGPU__EXEC_SEATED);
    agpu__pass(AGPU__POINT_WOKEN);
    agpu__hot.exec.seat = self->seat;
    work(&self->parker, self->search);
    if (agpu__hot.exec.is_orphan)
      agpu__exec_end_orphan();

    agpu__mutex_lock(&executor->lock);
    bool stopping = executor->stopping;
    if (!stopping) {
      agpu__exec_count_out(executor);
      SLIST_INSERT_HEAD(&executor->spares, self, spare);
    }
    agpu__mutex_unlock(&executor->lock);
    if (stopping)
      return NULL;
  }
}

/// Spare threads that may wait inside tasks at the same time, beyond one
/// thread per seat.
#define SPARE_THREADS 1000

/// A new thread, not yet seated. NULL where none is available.
static agpu__exec_thread *create_thread(agpu__executor *executor)
    AGPU__REQUIRES(executor->lock) {
  AGPU__ASSERT_HELD(&executor->lock);
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
  agpu__parker_await_owner(&thread->parker);
  SLIST_INSERT_HEAD(&executor->threads, thread, link);
  ++executor->thread_count;
  return thread;
}

bool agpu__exec_hand_over(agpu__seat *seat, agpu__search search) {
  agpu__executor *executor = &agpu__the_executor;
  AGPU__ASSERT(seat == agpu__hot.exec.seat || !agpu__exec_has_started());
  agpu__pass(AGPU__POINT_HAND_OVER);
  agpu__mutex_lock(&executor->lock);
  agpu__exec_thread *thread = SLIST_FIRST(&executor->spares);
  bool created = false;
  if (thread) {
    SLIST_REMOVE_HEAD(&executor->spares, spare);
  } else if (executor->thread_count < executor->seat_count + SPARE_THREADS) {
    thread = create_thread(executor);
    created = thread != NULL;
  }
  uint32_t count = executor->thread_count;
  bool is_asleep = false;
  if (thread) {
    agpu__exec_count_in(executor);
    thread->seat = seat;
    thread->search = search;
    is_asleep = agpu__parker_set(&thread->parker, AGPU__EXEC_SEATED);
  }
  agpu__mutex_unlock(&executor->lock);
  if (is_asleep)
    agpu__parker_wake(&thread->parker);
  if (created && count > executor->seat_count)
    agpu__log(AGPU__LOG_EXEC, "created thread %u, for a task that waits",
              count);
  return thread != NULL;
}
