//===- pace.c - How often a thread that waits for messages yields --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "exec/census.h"
#include "exec/executor.h"

#include <sched.h>

static int yields;
static uint32_t pace;

/// In place of the system's.
int sched_yield(void) {
  ++yields;
  return 0;
}

static uint32_t ask(bool leaves) {
  (void)leaves;
  return pace;
}

/// Yields in so many looks of a thread that finds nothing.
static int count_yields(uint32_t of_pace, uint32_t looks) {
  pace = of_pace;
  yields = 0;
  for (uint32_t look = 0; look < looks; ++look)
    CHECK(agpu__exec_spin(look));
  return yields;
}

/// Looks of a thread without a seat until it should sleep, beside one worker.
static uint32_t count_looks(int sleeping) {
  static agpu__seat seat;
  agpu__the_executor.seats = &seat;
  agpu__the_executor.seat_count = 1;
  atomic_store(&agpu__the_executor.sleeping, sleeping);
  uint32_t looks = 0;
  while (agpu__exec_spin(looks))
    ++looks;
  return looks;
}

int main(void) {
  agpu__exec_set_source(ask);
  CHECK_EQ(count_yields(4, 64), 16);
  CHECK_EQ(count_yields(64, 64), 1);
  CHECK_EQ(count_yields(1, 64), 64);
  // A worker that is awake asks for messages when it has nothing to run.
  CHECK_EQ(count_looks(0), AGPU__EXEC_LOOKS);
  CHECK_EQ(count_looks(1), 32 * AGPU__EXEC_LOOKS);
  return 0;
}
