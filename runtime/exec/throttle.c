//===- throttle.c - Spawners that are too fast ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that spawns regions is often faster than the threads that run them.
// When HIGH tasks are queued the spawner waits until there are LOW, but never
// longer than LIMIT_NS, and then not again for PATIENCE tasks: what the tasks
// need to get on may be something that the spawner does later, or holds.
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
#define LIMIT_NS (10 * 1000 * 1000)

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
    in_vain = executor->worker_count == 0 ||
              !agpu__injector_wait(&executor->injector, LOW, LIMIT_NS);
  }
  if (in_vain)
    patience = PATIENCE;
}
