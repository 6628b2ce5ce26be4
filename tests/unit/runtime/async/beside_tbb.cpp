//===- beside_tbb.cpp - The runtime beside oneTBB in one process ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each calls the other: regions run task groups of oneTBB, and tasks of those
// spawn and await regions.
//
//===----------------------------------------------------------------------===//

#include "beside.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

static int64_t sum_in_tbb(int64_t count) {
  return tbb::parallel_reduce(
      tbb::blocked_range<int64_t>(0, count), int64_t(0),
      [](const tbb::blocked_range<int64_t> &range, int64_t sum) {
        for (int64_t i = range.begin(); i != range.end(); ++i)
          sum += i;
        return sum;
      },
      [](int64_t a, int64_t b) { return a + b; });
}

static void run_tbb(void *token) {
  CHECK_EQ(sum_in_tbb(100), 4950);
  beside_make_ready(token);
}

int main() {
  for (int round = 0; round < BESIDE_ROUNDS; ++round) {
    CHECK_EQ(sum_in_tbb(100000), INT64_C(4999950000));
    beside_run_regions(beside_make_ready);
    beside_run_regions(run_tbb);
    tbb::task_group group;
    for (int i = 0; i < 3; ++i)
      group.run([] {
        beside_run_regions(beside_make_ready);
        beside_run_loop();
      });
    group.wait();
  }
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(sum_in_tbb(100000), INT64_C(4999950000));
  beside_run_regions(beside_make_ready);
  return 0;
}
