//===- idle.c - Wake-ups are not lost, idle burns nothing ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/os/clock.h"
#include "check.h"
#include "exec/executor.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 20000

/// On few CPUs a round may take time slices; so many seconds are enough.
#define SECONDS 4

static int64_t deadline;

static void set_deadline(void) {
  deadline = agpu__clock_now_ns() + SECONDS * AGPU__NS_PER_SECOND;
}

static bool in_time(void) { return agpu__clock_now_ns() < deadline; }

static agpu__parker *waiting;

static void wake(void *unused) {
  (void)unused;
  agpu__parker_signal(waiting, AGPU__EXEC_DONE);
}

static void submit_wake(void *unused) {
  (void)unused;
  agpu__exec_submit((agpu__task){NULL, wake});
}

static void spin(int rounds) {
  for (volatile int i = 0; i < rounds; ++i)
    continue;
}

static atomic_bool running, may_end;

static void hold(void *unused) {
  (void)unused;
  atomic_store(&running, true);
  while (!atomic_load(&may_end))
    continue;
}

/// Lets a worker's task end, and submits the next one after a pause of a few
/// hundred nanoseconds that sweeps over the worker's way to sleep. Only workers
/// can run it, so the test hangs if it was overlooked.
static void test_workers_wake_up(void) {
  set_deadline();
  for (int i = 0; i < ROUNDS && in_time(); ++i) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    waiting = &parker;
    atomic_store(&running, false);
    atomic_store(&may_end, false);
    agpu__exec_submit((agpu__task){NULL, hold});
    while (!atomic_load(&running))
      spin(10);
    atomic_store(&may_end, true);
    spin(i % 400);
    agpu__exec_submit((agpu__task){NULL, i % 4 ? wake : submit_wake});
    agpu__parker_wait(&parker, AGPU__EXEC_DONE);
  }
}

static atomic_int second_runs;

static void run_second(void *unused) {
  (void)unused;
  atomic_fetch_add(&second_runs, 1);
}

/// Holds its worker until the second task of the round has run.
static void run_first(void *round) {
  while (atomic_load(&second_runs) < *(int *)round)
    spin(10);
  agpu__parker_signal(waiting, AGPU__EXEC_DONE);
}

/// The second task comes while a thread is on its way for the first, and wakes
/// no other by itself.
static void test_who_finds_work_wakes_the_next(void) {
  if (agpu__exec_worker_count() < 2)
    return;
  set_deadline();
  for (int round = 1; round <= 1000 && in_time(); ++round) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    waiting = &parker;
    agpu__exec_submit((agpu__task){&round, run_first});
    agpu__exec_submit((agpu__task){NULL, run_second});
    agpu__parker_wait(&parker, AGPU__EXEC_DONE);
    agpu__exec_drain();
  }
}

static void test_helpers_wake_up(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    agpu__parker parker;
    agpu__parker_init(&parker);
    waiting = &parker;
    agpu__exec_submit((agpu__task){NULL, i % 2 ? wake : submit_wake});
    agpu__exec_wait(&parker, (agpu__wanted){0});
  }
}

static double cpu_seconds(void) {
  struct timespec time;
  CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IDLE_CPU_SECONDS 0.1 // they have a thread of their own
#else
#define IDLE_CPU_SECONDS 0.001
#endif

/// In a second. A machine that is busy may charge the process with what it is
/// not to blame for: one of several seconds is enough.
static void test_idle_burns_no_cpu(void) {
  double used = 0;
  agpu__exec_drain();
  for (int i = 0; i < 8; ++i) {
    double before = cpu_seconds();
    usleep(1000000);
    used = cpu_seconds() - before;
    if (used < IDLE_CPU_SECONDS)
      return;
  }
  fprintf(stderr, "%g seconds\n", used);
  CHECK(0 && "an idle process uses CPU time");
}

int main(void) {
  test_workers_wake_up();
  test_who_finds_work_wakes_the_next();
  test_helpers_wake_up();
  test_idle_burns_no_cpu();
  agpu__exec_stop();
  return 0;
}
