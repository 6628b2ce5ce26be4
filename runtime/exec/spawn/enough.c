//===- enough.c - Whether a spawner may run what it spawns ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queued tasks are there for other threads to take. When a spawner has queued
// TASKS_EACH for each of them, one more makes nobody faster, and the spawner
// may as well run it. As soon as they have taken some, it queues again: so
// tasks of a tree are queued near its root and run at once near its leaves,
// without anyone knowing its shape.
//
// What is run like this lies on top of its spawner on the stack, and spawns in
// turn. That ends where the stack is deeper than DEPTH, or than half of what
// the thread has: what is spawned below is queued. It blocks nowhere, not even
// to wait for tasks to become fewer: its spawner does that when it is back.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/sync/schedule.h"
#include "exec/census.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stddef.h>

#define TASKS_EACH 4
#define DEPTH ((uintptr_t)1 << 20)

/// Frames between `shallow_low` and `shallow_low + shallow_size` are not too
/// deep; on stacks that the thread did not begin on, nothing runs.
static __attribute__((noinline, cold)) void find_stack(void) {
  agpu__self.exec.knows_stack = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void *lowest;
  size_t size;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    size_t shallow = size / 2 < DEPTH ? size / 2 : DEPTH;
    agpu__self.exec.shallow_size = shallow;
    agpu__self.exec.shallow_low = (uintptr_t)lowest + size - shallow;
  }
  (void)pthread_attr_destroy(&attributes);
}

static bool is_shallow(void) {
  if (!agpu__self.exec.knows_stack)
    find_stack();
  return (uintptr_t)__builtin_frame_address(0) - agpu__self.exec.shallow_low <
         agpu__self.exec.shallow_size;
}

/// What is asked of a schedule that is drawn, apart: the usual way is short.
static __attribute__((noinline, cold)) bool is_drawn(void) {
  agpu__pass(AGPU__POINT_START_HERE);
  return agpu__stray(AGPU__POINT_START_HERE);
}

bool agpu__exec_has_enough(void) {
  if (!is_shallow() || !agpu__exec_has_started())
    return false;
  if (agpu__schedule_on() && is_drawn())
    return true;
  int64_t seats = agpu__the_executor.seat_count;
  agpu__seat *seat = agpu__self.exec.seat;
  return seat ? agpu__deque_count(&seat->deque) >= TASKS_EACH * (seats - 1)
              : (int64_t)agpu__outside_count_own() >= TASKS_EACH * seats;
}

bool agpu__exec_start_here(void) {
  bool here = agpu__exec_has_enough();
  agpu__self.exec.started_here += here;
  return here;
}

void agpu__exec_started_here(bool suspended) {
  AGPU__ASSERT(agpu__self.exec.started_here > 0);
  --agpu__self.exec.started_here;
  if (suspended)
    agpu__exec_throttle();
}
