//===- clock.c - Monotonic time -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The monotonic clock, in nanoseconds: what the runtime waits by and
// measures by goes on whatever is done to the time of day.
//
//===----------------------------------------------------------------------===//

#include "base/os/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static int64_t (*_Atomic modelled)(void);

void agpu__clock_set(int64_t (*now)(void)) { atomic_store(&modelled, now); }

int64_t agpu__clock_now_ns(void) {
  int64_t (*of)(void) = atomic_load_explicit(&modelled, memory_order_relaxed);
  return of ? of() : agpu__clock_machine_ns();
}

int64_t agpu__clock_machine_ns(void) {
  struct timespec now;
  // Cannot fail: the clock exists on every Linux, and the pointer is good.
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * AGPU__NS_PER_SECOND + now.tv_nsec;
}

void agpu__clock_pause(int64_t *pause_ns) {
  (void)nanosleep(&(struct timespec){.tv_nsec = (long)*pause_ns}, NULL);
  if (*pause_ns < 1000000)
    *pause_ns *= 2;
}
