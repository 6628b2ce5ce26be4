//===- serial.c - The loops on one thread ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench.h"

static void saxpy(float *x, float *y, int64_t n) { bench_saxpy(x, y, 0, n); }

static void iterate(float *x, float *y, int64_t n) {
  bench_iterate(x, y, 0, n);
}

static void dot(float *x, float *y, int64_t n) {
  bench_keep_dot(y, bench_dot(x, y, 0, n), n);
}

static int64_t cholesky(int64_t n) {
  int64_t right = 0;
  for (int64_t turn = 0; turn < n; ++turn) {
    bench_begin_cholesky();
    for (int64_t k = 0; k < BENCH_TILES; ++k) {
      bench_potrf(k);
      for (int64_t i = k + 1; i < BENCH_TILES; ++i)
        bench_trsm(i, k);
      for (int64_t i = k + 1; i < BENCH_TILES; ++i)
        for (int64_t j = k + 1; j <= i; ++j)
          bench_update(i, j, k);
    }
    right += bench_end_cholesky();
  }
  return right;
}

const bench_work bench_works[] = {
    {"saxpy", NULL, saxpy}, {"iterate", NULL, iterate},
    {"dot", NULL, dot},     {"cholesky", cholesky, NULL},
    {NULL, NULL, NULL},
};
