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

const bench_work bench_works[] = {
    {"saxpy", NULL, saxpy},
    {"iterate", NULL, iterate},
    {NULL, NULL, NULL},
};
