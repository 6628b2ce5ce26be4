//===- bodies.c - What all peers call -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file of its own, so that all peers run the same code, whichever compiler
// makes the rest of them, and no compiler sees into it.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

void bench_opaque(void) {}

void bench_saxpy(const float *restrict x, float *restrict y, int64_t begin,
                 int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    y[i] = 2.0f * x[i] + y[i];
}

float bench_dot(const float *restrict x, const float *restrict y, int64_t begin,
                int64_t end) {
  float sum = 0.0f;
  // In any order, as the other compilers are allowed to.
#pragma omp simd reduction(+ : sum)
  for (int64_t i = begin; i < end; ++i)
    sum += x[i] * y[i];
  return sum;
}

void bench_iterate(const float *restrict x, float *restrict y, int64_t begin,
                   int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    float v = x[i];
    for (int step = 0; step < 256; ++step)
      v = v * 0.999f + 0.001f;
    y[i] = v;
  }
}
