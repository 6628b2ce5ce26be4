//===- throttle.c - Spawners that are too fast ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that spawns regions is often faster than the threads that run them.
// When HIGH tasks are queued the spawner waits until there are LOW, as long as
// their number goes down from one SLICE_NS to the next. After SLICES in which
// it did not, it goes on, and does not wait again for PATIENCE tasks: what the
// tasks need may be something that the spawner does later, or holds.
//
// The spawner does not run tasks meanwhile, as a thread that waits does: one
// of them might block in turn for something that the spawner does later, on
// top of the spawner's stack.
//
// A spawner inside a task has a deque that only others empty while it spawns.
// It gives its seat to another thread, so that its tasks run, and goes on as a
// thread from outside.
//
//===----------------------------------------------------------------------===//

#include "exec/internal.h"

#define HIGH 8192
#define LOW 4096
#define PATIENCE 4096
#define SLICE_NS (10 * 1000 * 1000)
#define SLICES 20

/// False if tasks did not get on.
static bool wait_for_tasks(agpu__executor *executor) {
  size_t before = agpu__injector_size(&executor->injector);
  for (int idle = 0; idle < SLICES; ++idle) {
    if (agpu__injector_wait(&executor->injector, LOW, SLICE_NS))
      return true;
    size_t now = agpu__injector_size(&executor->injector);
    if (now < before)
      idle = -1;
    before = now;
  }
  return false;
}

void agpu__exec_throttle(void) {
  agpu__executor *executor = &agpu__the_executor;
  static AGPU__HOT_THREAD_LOCAL uint32_t patience;
  if (patience > 0) {
    --patience;
    return;
  }
  agpu__seat *seat = agpu__self.seat;
  bool in_vain = false;
  if (seat) {
    if (agpu__deque_size(&seat->deque) < HIGH)
      return;
    in_vain = !agpu__exec_hand_over(seat, /*searching=*/false);
    if (!in_vain)
      agpu__self.seat = NULL;
  } else if (agpu__injector_size(&executor->injector) >= HIGH) {
    in_vain = executor->worker_count == 0 || !wait_for_tasks(executor);
  }
  if (in_vain)
    patience = PATIENCE;
}
