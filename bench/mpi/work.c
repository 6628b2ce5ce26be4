//===- work.c - What each round of the measured programs does -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interior takes so many microseconds without the CPU, as work on a device
// does, so that busy neighbours of the machine change little.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

void compute_interior(int64_t microseconds);
double read_clock(void);
void report_round(double seconds);

void compute_interior(int64_t microseconds) {
  struct timespec time = {.tv_nsec = microseconds * 1000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR)
    ;
}

double read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void report_round(double seconds) {
  printf("%.9f\n", seconds);
  fflush(stdout);
}
