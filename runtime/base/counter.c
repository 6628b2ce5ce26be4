//===- counter.c - Counting what is alive -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/counter.h"

static atomic_uint next_cell;

/// 1 + the thread's cell; 0 before its first count.
static AGPU__HOT_THREAD_LOCAL unsigned own_cell;

static unsigned claim_cell(void) {
  unsigned cell =
      atomic_fetch_add_explicit(&next_cell, 1, memory_order_relaxed) %
      AGPU__COUNTER_CELLS;
  own_cell = cell + 1;
  return own_cell;
}

void agpu__counter_add(agpu__counter *counter, int64_t delta) {
  unsigned cell = own_cell;
  if (cell == 0)
    cell = claim_cell();
  atomic_fetch_add_explicit(&counter->cells[cell - 1].value, delta,
                            memory_order_relaxed);
}

int64_t agpu__counter_read(const agpu__counter *counter) {
  int64_t sum = 0;
  for (unsigned i = 0; i < AGPU__COUNTER_CELLS; ++i)
    sum += atomic_load_explicit(&counter->cells[i].value, memory_order_relaxed);
  return sum;
}
