//===- throttle.c - Spawners that are too fast ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that spawns regions is often faster than the threads that run them,
// and one of those that is held up in the middle of a chain leaves all later
// links suspended. A spawner that is too far ahead waits (relief.c).
//
// A spawner inside a task has a deque that only others empty while it spawns.
// It gives its seat to another thread, so that its tasks run, and goes on as a
// thread from outside.
//
// A task that spawns few is no such spawner, and is not looked at: in a deep
// recursion all tasks alive are suspended until the deepest have run, whose
// spawners must not be held up.
//
// Tasks are not counted at each spawn: a thread looks at the sum (see
// base/memory/counter.h) the later the more room there is. So there may be more
// tasks than there should be, by LOOK_AT_LEAST to LOOK_AT_MOST for each thread
// that spawns.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "exec/census.h"
#include "exec/executor.h"

#define LOOK_AT_LEAST 16
#define LOOK_AT_MOST 1024

/// Returns the number of spawns until the next look.
static uint32_t look(void) {
  int64_t room = agpu__exec_room();
  if (room > 0) {
    int64_t next = room / 4;
    return next < LOOK_AT_LEAST  ? LOOK_AT_LEAST
           : next > LOOK_AT_MOST ? LOOK_AT_MOST
                                 : (uint32_t)next;
  }
  if (agpu__the_executor.worker_count == 0)
    return LOOK_AT_MOST;
  if (agpu__hot.exec.seat) {
    agpu__exec_queue_next();
    // Without a thread to take over, no one would run this spawner's tasks.
    if (!agpu__exec_hand_over(agpu__hot.exec.seat, AGPU__SEARCHES_NOT))
      return LOOK_AT_MOST;
    agpu__hot.exec.seat = NULL;
  }
  agpu__exec_hold();
  return LOOK_AT_LEAST;
}

void agpu__exec_throttle_now(void) { agpu__hot.exec.spawns_left = look(); }
