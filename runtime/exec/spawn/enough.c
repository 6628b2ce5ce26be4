//===- enough.c - Whether a spawner may run what it spawns ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queued tasks are there for other threads to take. When a spawner has queued
// TASKS_EACH for each of them, one more makes none faster, and the spawner
// may as well run it. As soon as they have taken some, it queues again: so
// tasks of a tree are queued near its root and run at once near its leaves,
// without anyone knowing its shape.
//
// For another thread to take part takes longer than a thousand small tasks: it
// may have to be woken, and then two write the same lines. So a spawner runs
// all tasks itself for the first EARLY_NS from when it has waited, or slept,
// last: what is over by then is done by one thread, as fast as if there were no
// other. With more than two workers there is more to gain, and it is a part of
// that time.
//
// What is run like this lies on top of its spawner on the stack, and spawns in
// turn. That ends where the stack is deeper than DEPTH, or than half of what
// the thread has: what is spawned below is queued. It blocks nowhere, not even
// to wait for tasks to become fewer: its spawner does that when it is back.
//
//===----------------------------------------------------------------------===//

#include "base/os/clock.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/sync/schedule.h"
#include "base/trace/trace.h"
#include "exec/census.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stddef.h>

#define TASKS_EACH 4
#define EARLY_NS 50000
#define EARLY_LEAST_NS 5000
#define LOOK_EACH 64
#define DEPTH ((uintptr_t)1 << 20)

/// Frames between `shallow_low` and `shallow_low + shallow_size` are not too
/// deep; on stacks that the thread did not begin on, nothing runs.
static __attribute__((noinline, cold)) void find_stack(void) {
  agpu__hot.exec.knows_stack = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void *lowest;
  size_t size;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    size_t shallow = size / 2 < DEPTH ? size / 2 : DEPTH;
    agpu__hot.exec.shallow_size = shallow;
    agpu__hot.exec.shallow_low = (uintptr_t)lowest + size - shallow;
  }
  (void)pthread_attr_destroy(&attributes);
}

static bool is_shallow(void) {
  if (!agpu__hot.exec.knows_stack)
    find_stack();
  return (uintptr_t)__builtin_frame_address(0) - agpu__hot.exec.shallow_low <
         agpu__hot.exec.shallow_size;
}

/// What is asked of a schedule that is drawn, apart: the usual way is short.
static __attribute__((noinline, cold)) bool is_drawn(void) {
  agpu__pass(AGPU__POINT_START_HERE);
  return agpu__stray(AGPU__POINT_START_HERE);
}

/// Whether the threads that could take what is queued have enough. One that
/// helps has a CPU that a worker would have.
static inline bool is_queue_full(void) {
  int64_t seats = agpu__the_executor.seat_count;
  agpu__seat *seat = agpu__hot.exec.seat;
  if (seat)
    return agpu__deque_count(&seat->deque) >= TASKS_EACH * (seats - 1);
  int64_t others = agpu__hot.exec.help == AGPU__HELPS_NOT ? seats : seats - 1;
  return (int64_t)agpu__outside_count_own() >= TASKS_EACH * others;
}

/// `ran_inline` of a thread whose tasks are no longer early.
#define LATE UINT32_MAX

static int64_t early_ns(void) {
  int64_t others = (int64_t)agpu__the_executor.seat_count - 1;
  int64_t part = others > 1 ? EARLY_NS / others : EARLY_NS;
  return part > EARLY_LEAST_NS ? part : EARLY_LEAST_NS;
}

/// Whether to look, after so many tasks: ever less often, since a task may also
/// take longer than all that it could be early for.
static bool should_look(uint32_t started) {
  return started < LOOK_EACH ? (started & (started - 1)) == 0
                             : started % LOOK_EACH == 0;
}

/// Whether they still are.
static __attribute__((noinline)) bool look_at_clock(uint32_t started) {
  int64_t now = agpu__clock_now_ns();
  if (started == 1)
    agpu__hot.exec.early_since = now;
  else if (now - agpu__hot.exec.early_since > early_ns())
    agpu__hot.exec.ran_inline = LATE;
  return agpu__hot.exec.ran_inline != LATE;
}

/// Apart: where the queue is full the usual way is short.
static __attribute__((noinline)) bool start_early(void) {
  uint32_t started = agpu__hot.exec.ran_inline;
  if (started == LATE)
    return false;
  agpu__hot.exec.ran_inline = ++started;
  bool here = !should_look(started) || look_at_clock(started);
  agpu__hot.exec.started_here += here;
  return here;
}

/// In the count of what was started here, while that is recorded.
#define IS_RECORDED (UINT32_C(1) << 31)

/// The start where somebody listens.
static __attribute__((noinline, cold)) bool notify_and_run_inline(void) {
  if (!is_drawn() && !is_queue_full())
    return false;
  ++agpu__hot.exec.started_here;
  if (agpu__trace_has_listener()) {
    agpu__hot.exec.started_here |= IS_RECORDED;
    agpu__trace_record(AGPU__TRACE_HERE, 0, 0, NULL,
                       (uintptr_t)agpu__trace_take_here(), 0, 0);
  }
  return true;
}

bool agpu__exec_run_inline(void) {
  if (!is_shallow() || !agpu__exec_has_started())
    return false;
  if (agpu__hooks_on())
    return notify_and_run_inline();
  if (!is_queue_full())
    return start_early();
  ++agpu__hot.exec.started_here;
  return true;
}

/// The end where nothing was started here, or the start was recorded.
static __attribute__((noinline, cold)) void notify_and_end(bool suspended) {
  AGPU__ASSERT(agpu__hot.exec.started_here > 0);
  if (suspended)
    agpu__trace_claim_last();
  agpu__trace_record(AGPU__TRACE_HERE_END, 0, 0, NULL, 0, 0, 0);
  if (--agpu__hot.exec.started_here == IS_RECORDED)
    agpu__hot.exec.started_here = 0;
  if (suspended)
    agpu__exec_throttle();
}

void agpu__exec_started_here(bool suspended) {
  uint32_t left = agpu__hot.exec.started_here - 1;
  if (__builtin_expect(left >= IS_RECORDED, 0)) {
    notify_and_end(suspended);
    return;
  }
  agpu__hot.exec.started_here = left;
  if (suspended)
    agpu__exec_throttle();
}
