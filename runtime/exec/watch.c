//===- watch.c - Standstills ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule. The program has come to a standstill when
//
// 1. every thread that is inside a task sleeps in a wait (active == stuck),
// 2. no task is queued,
// 3. nothing that is pending elsewhere, on a device say, will wake a thread,
// 4. no sleeping thread has been woken without having noticed yet,
// 5. the process's first thread waits too: it is the one that looks, and
// 6. there are no threads that the runtime does not know.
//
// Each of 1 to 4 can be ended only by a thread of which one of them, or 5 or
// 6, says that it sleeps or does not exist. They are looked at one after the
// other, though: 1, 2 and 4 before 3 and again after it, under the lock that a
// thread takes before it leaves its sleep. If 3 does not hold at a time between
// them, then nobody could start anything pending since the first look, and
// what ended before 3 shows in the second.
//
// 6 takes long, and is looked at without the lock, between two looks at all the
// others. If no thread has left its sleep from the first of these to the
// second, which is counted, then they held all the time: whoever could have
// changed one of them was a thread that the runtime does not know, had done so
// before it ended, and shows in the second, or was still there and shows in 6.
//
// A thread between two queues, or one that was created a moment ago, counts as
// active. Threads that come and go make 6 fail and not hold by mistake.
//
//===----------------------------------------------------------------------===//

#include "exec/internal.h"

#include "base/os/clock.h"
#include "base/os/thread.h"

#include <time.h>

/// Looks follow each other at growing distances: a program that waits for long
/// should not be woken often.
#define FIRST_LOOK_NS (50 * 1000 * 1000)
#define LATER_LOOK_NS AGPU__NS_PER_SECOND

static _Atomic(const agpu__exec_watch *) the_watch;

void agpu__exec_set_watch(const agpu__exec_watch *watch) {
  atomic_store_explicit(&the_watch, watch, memory_order_release);
}

static const agpu__exec_watch *get_watch(void) {
  return atomic_load_explicit(&the_watch, memory_order_acquire);
}

bool agpu__exec_is_pending(void) {
  const agpu__exec_watch *watch = get_watch();
  return watch && watch->is_pending();
}

static bool any_is_done(const agpu__sleeper *sleepers) {
  for (; sleepers; sleepers = sleepers->next)
    if (agpu__parker_poll(sleepers->parker))
      return true;
  return false;
}

static bool all_sleep(const agpu__executor *executor) {
  return executor->active == executor->stuck && !agpu__exec_has_work() &&
         !any_is_done(executor->sleepers) && !any_is_done(executor->waiters);
}

/// Whether all but 6 holds, and how often a thread has left its sleep so far.
static bool may_stand_still(agpu__executor *executor,
                            const agpu__exec_watch *watch,
                            uint64_t *out_rises) {
  pthread_mutex_lock(&executor->lock);
  bool still =
      all_sleep(executor) && !watch->is_pending() && all_sleep(executor);
  *out_rises = executor->rises + executor->wakeups;
  pthread_mutex_unlock(&executor->lock);
  return still;
}

/// Calls `standstill` if there is one.
static void look(void) {
  agpu__executor *executor = &agpu__the_executor;
  const agpu__exec_watch *watch = get_watch();
  uint64_t before, after;
  if (may_stand_still(executor, watch, &before) && agpu__thread_only_known() &&
      may_stand_still(executor, watch, &after) && before == after)
    watch->standstill();
}

static int64_t later(int64_t pause_ns) {
  return pause_ns * 2 < LATER_LOOK_NS ? pause_ns * 2 : LATER_LOOK_NS;
}

void agpu__exec_rest(agpu__parker *parker, uint32_t mask) {
  if (!get_watch() || !agpu__thread_is_main()) {
    (void)agpu__parker_wait(parker, mask);
    return;
  }
  int64_t pause_ns = FIRST_LOOK_NS;
  while (!(agpu__parker_wait_for(parker, mask, pause_ns) & mask)) {
    look();
    pause_ns = later(pause_ns);
  }
}

void agpu__exec_rest_until_quiet(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__pass_sleep(&executor->quiet);
  if (!get_watch() || !agpu__thread_is_main()) {
    (void)pthread_cond_wait(&executor->quiet, &executor->lock);
    return;
  }
  int64_t end = agpu__clock_now_ns() + FIRST_LOOK_NS;
  struct timespec limit = {.tv_sec = (time_t)(end / AGPU__NS_PER_SECOND),
                           .tv_nsec = (long)(end % AGPU__NS_PER_SECOND)};
  if (pthread_cond_timedwait(&executor->quiet, &executor->lock, &limit) == 0)
    return;
  // Without a thread that is inside a task nothing holds up the caller.
  if (executor->active == 0)
    return;
  pthread_mutex_unlock(&executor->lock);
  look();
  pthread_mutex_lock(&executor->lock);
}
