//===- clock.c - Measuring time in a program ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time for programs that measure themselves: of the monotonic clock, as
// upstream's rtclock and nanoTime give it. printFlops writes to stderr.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <stdio.h>
#include <time.h>

int64_t nanoTime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t _mlir_ciface_nanoTime(void) { return nanoTime(); }

double rtclock(void) { return (double)nanoTime() * 1e-9; }

void printFlops(double flops) { fprintf(stderr, "%f GFLOPS\n", flops / 1.0e9); }
