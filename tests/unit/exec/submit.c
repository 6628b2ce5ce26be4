//===- submit.c - Every task runs once ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With the number of workers from ASYNC_GPU_NUM_THREADS.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define TASKS 5000
#define CHILDREN 5

static atomic_int times[THREADS * TASKS];
static atomic_int children;

static void child(void *unused) {
  (void)unused;
  CHECK(agpu__exec_in_task());
  atomic_fetch_add(&children, 1);
}

static void parent(void *handle) {
  atomic_fetch_add((atomic_int *)handle, 1);
  for (int i = 0; i < CHILDREN; ++i)
    agpu__exec_submit((agpu__task){NULL, child});
}

static void *submit_many(void *first) {
  for (int i = 0; i < TASKS; ++i)
    agpu__exec_submit((agpu__task){(atomic_int *)first + i, parent});
  return NULL;
}

static void check_round(int round) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, submit_many, &times[i * TASKS]) ==
          0);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  agpu__exec_drain();
  CHECK(agpu__exec_is_quiet());
  for (int i = 0; i < THREADS * TASKS; ++i)
    CHECK_EQ(times[i], round);
  CHECK_EQ(children, round * THREADS * TASKS * CHILDREN);
}

int main(void) {
  CHECK(!agpu__exec_in_task());
  agpu__exec_drain(); // nothing to drain before the start
  CHECK(agpu__exec_is_quiet());
  check_round(1);
  uint64_t wakeups = agpu__exec_wakeups();
  CHECK(wakeups > 0);
  check_round(2);
  CHECK(agpu__exec_wakeups() > wakeups);
  agpu__exec_stop();
  return 0;
}
