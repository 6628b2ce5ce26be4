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
// them, then no thread could start anything pending since the first look, and
// what ended before 3 shows in the second.
//
// 6 takes long, and is looked at without the lock, between two looks at all the
// others. If no thread has left its sleep from the first of these to the
// second, which is counted, then they held all the time: a thread that could
// have changed one of them was a thread that the runtime does not know, had
// done so before it ended, and shows in the second, or was still there and
// shows in 6.
//
// A thread between two queues, or one that was created a moment ago, counts as
// active. Threads that come and go make 6 fail and not hold by mistake.
//
//===----------------------------------------------------------------------===//

#include "exec/watch.h"

#include "base/os/clock.h"
#include "base/os/thread.h"
#include "base/sync/schedule.h"
#include "exec/census.h"

/// Looks follow each other at growing distances: a program that waits for long
/// should not be woken often.
#define FIRST_LOOK_NS (50 * 1000 * 1000)
#define LATER_LOOK_NS AGPU__NS_PER_SECOND

void agpu__exec_set_watch(const agpu__exec_watch *watch) {
  atomic_store_explicit(&agpu__the_executor.watch, watch, memory_order_release);
}

static const agpu__exec_watch *get_watch(void) {
  return atomic_load_explicit(&agpu__the_executor.watch, memory_order_acquire);
}

bool agpu__exec_is_pending(void) {
  const agpu__exec_watch *watch = get_watch();
  return watch && watch->is_pending();
}

/// Whether all but 6 holds, with what is pending as `pends` says, and how often
/// a thread has left its sleep so far.
static bool may_stand_still(bool (*pends)(void), bool expected,
                            uint64_t *out_rises) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__mutex_lock(&executor->lock);
  bool still = agpu__exec_all_sleep(executor) && pends() == expected &&
               agpu__exec_all_sleep(executor);
  *out_rises = executor->rises + executor->wakeups;
  agpu__mutex_unlock(&executor->lock);
  return still;
}

static bool stands_still(bool (*pends)(void), bool expected,
                         uint64_t *out_rises) {
  uint64_t before;
  return may_stand_still(pends, expected, &before) &&
         agpu__thread_only_known() &&
         may_stand_still(pends, expected, out_rises) && before == *out_rises;
}

/// Calls `standstill` if there is one.
static void look(void) {
  const agpu__exec_watch *watch = get_watch();
  uint64_t rises;
  if (watch->only_messages_are_pending && watch->only_messages_are_pending()) {
    if (stands_still(watch->only_messages_are_pending, true, &rises))
      watch->hear_of_rest(rises);
  } else if (stands_still(watch->is_pending, false, &rises)) {
    watch->standstill();
  }
}

void agpu__exec_look(void) {
  if (get_watch() && agpu__thread_is_main())
    look();
}

void agpu__exec_rest(agpu__parker *parker, uint32_t mask) {
  if (!get_watch() || !agpu__thread_is_main()) {
    (void)agpu__parker_wait(parker, mask);
    return;
  }
  int64_t pause_ns = FIRST_LOOK_NS;
  while (!(agpu__parker_wait_for(parker, mask, pause_ns) & mask)) {
    look();
    pause_ns = pause_ns * 2 < LATER_LOOK_NS ? pause_ns * 2 : LATER_LOOK_NS;
  }
}

/// The lock, which the caller knows by another name, is given back for a look.
AGPU__UNCHECKED_LOCKS void agpu__exec_rest_until_quiet(void) {
  agpu__executor *executor = &agpu__the_executor;
  agpu__pass_sleep(&executor->quiet);
  if (!get_watch() || !agpu__thread_is_main()) {
    agpu__condition_wait(&executor->quiet, &executor->lock);
    return;
  }
  // Without a thread that is inside a task nothing holds up the caller.
  if (agpu__condition_wait_for(&executor->quiet, &executor->lock,
                               FIRST_LOOK_NS) ||
      executor->active == 0)
    return;
  agpu__mutex_unlock(&executor->lock);
  look();
  agpu__mutex_lock(&executor->lock);
}
