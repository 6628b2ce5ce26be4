//===- beside_openmp.c - The runtime beside OpenMP in one process ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each calls the other: regions run parallel loops of OpenMP, and the threads
// of those spawn and await regions.
//
//===----------------------------------------------------------------------===//

#include "beside.h"

#include <omp.h>

static int64_t sum_in_openmp(int64_t count) {
  int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i)
    sum += i;
  return sum;
}

static void run_openmp(void *token) {
  CHECK_EQ(sum_in_openmp(100), 4950);
  beside_make_ready(token);
}

int main(void) {
  int threads = omp_get_max_threads();
  for (int round = 0; round < BESIDE_ROUNDS; ++round) {
    CHECK_EQ(sum_in_openmp(100000), INT64_C(4999950000));
    beside_run_regions(beside_make_ready);
#pragma omp parallel num_threads(3)
    {
      beside_run_regions(beside_make_ready);
      beside_run_loop();
    }
  }
  // Each of our threads has a team of its own, with its own threads.
  beside_run_regions(run_openmp);
  CHECK(!agpu_runtime_shutdown());
  CHECK_EQ(omp_get_max_threads(), threads);
  CHECK_EQ(sum_in_openmp(100000), INT64_C(4999950000));
  beside_run_regions(beside_make_ready);
  return 0;
}
