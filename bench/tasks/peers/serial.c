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

const bench_work bench_works[] = {
    {"saxpy", NULL, saxpy},
    {"iterate", NULL, iterate},
    {"dot", NULL, dot},
    {NULL, NULL, NULL},
};
