//===- mutex.c - Waiting for a change -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions use the monotonic clock. What has no time in it is inline
// in the header.
//
//===----------------------------------------------------------------------===//

#include "base/sync/mutex.h"

#include "base/os/clock.h"

#include <time.h>

void agpu__condition_init(agpu__condition *condition) {
  pthread_condattr_t monotonic;
  (void)pthread_condattr_init(&monotonic);
  (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&condition->native, &monotonic);
  (void)pthread_condattr_destroy(&monotonic);
}

bool agpu__condition_wait_for(agpu__condition *condition, agpu__mutex *mutex,
                              int64_t ns) {
  AGPU__RANK_WAIT(mutex);
  int64_t end = agpu__clock_machine_ns() + ns;
  struct timespec limit = {.tv_sec = (time_t)(end / AGPU__NS_PER_SECOND),
                           .tv_nsec = (long)(end % AGPU__NS_PER_SECOND)};
  return pthread_cond_timedwait(&condition->native, &mutex->native, &limit) ==
         0;
}
