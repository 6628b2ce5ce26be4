//===- idle.c - Wake-ups are not lost, idle burns nothing ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "exec/executor.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5000

static agpu__parker *waiting;

static void wake(void *unused) {
  (void)unused;
  agpu__parker_signal(waiting, AGPU__EXEC_DONE);
}

static void submit_wake(void *unused) {
  (void)unused;
  agpu__exec_submit((agpu__task){NULL, wake});
}

/// Sleeps without helping, so that only the workers can run the task: one that
/// was overlooked hangs the test.
static void test_workers_wake_up(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    waiting = &parker;
    agpu__exec_submit((agpu__task){NULL, i % 2 ? wake : submit_wake});
    agpu__parker_wait(&parker, AGPU__EXEC_DONE);
    // Sometimes let the workers go to sleep, mostly catch them on their way.
    if (i % 16 == 0)
      usleep(50);
  }
}

static void test_helpers_wake_up(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    waiting = &parker;
    agpu__exec_submit((agpu__task){NULL, i % 2 ? wake : submit_wake});
    agpu__exec_wait(&parker);
  }
}

static double cpu_seconds(void) {
  struct timespec time;
  CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void test_idle_burns_no_cpu(void) {
  agpu__exec_drain();
  double before = cpu_seconds();
  usleep(300000);
  CHECK(cpu_seconds() - before < 0.03);
}

int main(void) {
  test_workers_wake_up();
  test_helpers_wake_up();
  test_idle_burns_no_cpu();
  agpu__exec_stop();
  return 0;
}
