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

// What a handle means is the caller's business: all of its bits arrive.
static _Atomic(uintptr_t) seen;

static void see(void *handle) { atomic_store(&seen, (uintptr_t)handle); }

static void test_handles_are_opaque(void) {
  static const uintptr_t handles[] = {0, 1, 0x1003, UINTPTR_MAX};
  for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); ++i)
    for (int brief = 0; brief < 2; ++brief) {
      atomic_store(&seen, handles[i] ^ 2);
      agpu__task task = {(void *)handles[i], see};
      agpu__exec_submit(brief ? agpu__task_as_brief(task) : task);
      agpu__exec_drain();
      CHECK(atomic_load(&seen) == handles[i]);
    }
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
  test_handles_are_opaque();
  agpu__exec_stop();
  return 0;
}
