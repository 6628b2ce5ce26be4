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

#include "exec/internal.h"

#include "exec/queue/outside.h"

#include <pthread.h>
#include <stddef.h>

#define TASKS_EACH 4
#define DEPTH ((uintptr_t)1 << 20)

/// Frames between `low` and `low + size` are not too deep. Both 0 before the
/// thread first asks; on stacks that the thread did not begin on, nothing runs.
static AGPU__HOT_THREAD_LOCAL struct {
  uintptr_t low, size;
  bool known;
} shallow;

static __attribute__((noinline, cold)) void find_stack(void) {
  shallow.known = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void *lowest;
  size_t size;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    shallow.size = size / 2 < DEPTH ? size / 2 : DEPTH;
    shallow.low = (uintptr_t)lowest + size - shallow.size;
  }
  (void)pthread_attr_destroy(&attributes);
}

static bool is_shallow(void) {
  if (!shallow.known)
    find_stack();
  return (uintptr_t)__builtin_frame_address(0) - shallow.low < shallow.size;
}

bool agpu__exec_has_enough(void) {
  agpu__executor *executor = &agpu__the_executor;
  if (!is_shallow() ||
      !atomic_load_explicit(&executor->started, memory_order_acquire))
    return false;
  agpu__pass(AGPU__POINT_START_HERE);
  if (agpu__stray(AGPU__POINT_START_HERE))
    return true;
  agpu__seat *seat = agpu__self.seat;
  if (seat)
    return agpu__deque_count(&seat->deque) >=
           TASKS_EACH * ((int64_t)executor->seat_count - 1);
  return agpu__outside_count_own() >= TASKS_EACH * (size_t)executor->seat_count;
}

bool agpu__exec_start_here(void) {
  bool here = agpu__exec_has_enough();
  agpu__self.started_here += here;
  return here;
}

void agpu__exec_started_here(bool suspended) {
  --agpu__self.started_here;
  if (suspended)
    agpu__exec_throttle();
}
