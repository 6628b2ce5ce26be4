//===- cupti_halves.c - Records of CUPTI's that never meet ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of others in the process has records without an external id. They take
// a bounded amount of memory, and late ones still find each other.
//
//===----------------------------------------------------------------------===//

#include "gpu/trace/cupti.c"

#include "check.h"

#define STRANGERS 1000000u

static uint64_t last_work;
static unsigned ran_count;

static void ran(uint64_t work, uint64_t round, int64_t begin, int64_t end) {
  CHECK_EQ(round, 0);
  CHECK_EQ(begin, 1);
  CHECK_EQ(end, 2);
  last_work = work;
  ++ran_count;
}

AGPU__UNCHECKED_LOCKS // one thread
    int main(void) {
  self.ran = ran;
  for (uint32_t i = 1; i <= STRANGERS; ++i) {
    join((half){.correlation = i, .begin = 1, .end = 2});
    // Each thousandth is ours, and its other record comes 500 later.
    if (i % 1000 == 500)
      join((half){.correlation = i - 499, .work = i});
    CHECK(self.capacity <= MOST_CAPACITY && 2 * self.used <= self.capacity);
  }
  CHECK_EQ(ran_count, STRANGERS / 1000);
  CHECK_EQ(last_work, STRANGERS - 500);
  // All others are counted as lost, or still there.
  uint64_t lost = agpu__work_clock_get_quality().lost;
  CHECK_EQ(lost + self.used + ran_count, STRANGERS);
  CHECK(lost >= STRANGERS - MOST_CAPACITY);
  agpu__memory_free(self.halves);
  return 0;
}
