//===- deque.c - Every task is taken exactly once -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/queue/deque.h"
#include "check.h"

#include <pthread.h>

#define TASKS 200000
#define THIEVES 3

static agpu__deque deque;
static atomic_int times[TASKS];
static atomic_bool finished;

static void count(void *handle) {
  atomic_fetch_add_explicit((atomic_int *)handle, 1, memory_order_relaxed);
}

static agpu__task task(int i) { return (agpu__task){&times[i], count}; }

static void run(agpu__task taken) { taken.resume(taken.handle); }

static void *thieve(void *unused) {
  (void)unused;
  while (!atomic_load(&finished)) {
    agpu__task stolen;
    if (agpu__deque_steal(&deque, &stolen) == AGPU__STEAL_TAKEN)
      run(stolen);
  }
  return NULL;
}

/// In one go, into a ring with room or without.
static void test_several_at_once(bool alone) {
  agpu__deque_init(&deque);
  deque.alone = alone;
  agpu__task taken, tasks[1000];
  for (int i = 0; i < 1000; ++i)
    tasks[i] = task(i);
  for (size_t count = 1; count <= 1000; count *= 10) {
    agpu__deque_push(&deque, task(999));
    agpu__deque_push_all(&deque, tasks, count);
    for (size_t i = 0; i < count; ++i) {
      CHECK(agpu__deque_pop(&deque, &taken));
      CHECK(taken.handle == &times[i] && taken.resume == tasks[0].resume);
    }
    CHECK(agpu__deque_pop(&deque, &taken));
    CHECK(taken.handle == &times[999]);
    CHECK(!agpu__deque_pop(&deque, &taken));
    CHECK(agpu__deque_is_empty(&deque));
  }
  agpu__deque_destroy(&deque);
}

static void test_one_thread(void) {
  agpu__deque_init(&deque);
  agpu__task taken;
  CHECK(agpu__deque_is_empty(&deque));
  CHECK(!agpu__deque_pop(&deque, &taken));
  CHECK_EQ(agpu__deque_steal(&deque, &taken), AGPU__STEAL_EMPTY);
  for (int i = 0; i < 1000; ++i) // grows twice
    agpu__deque_push(&deque, task(i));
  CHECK(!agpu__deque_is_empty(&deque));
  for (int i = 0; i < 500; ++i) {
    CHECK_EQ(agpu__deque_steal(&deque, &taken), AGPU__STEAL_TAKEN);
    CHECK(taken.handle == &times[i] && taken.resume == count);
  }
  for (int i = 999; i >= 500; --i) {
    CHECK(agpu__deque_pop(&deque, &taken));
    CHECK(taken.handle == &times[i] && taken.resume == count);
  }
  CHECK(!agpu__deque_pop(&deque, &taken));
  agpu__deque_destroy(&deque);
}

/// The owner pushes bursts of `burst` tasks and pops `pops` after each: short
/// bursts fight over the last task, long ones make the ring grow under thieves.
static void test_owner_and_thieves(int burst, int pops) {
  memset(times, 0, sizeof(times));
  atomic_store(&finished, false);
  agpu__deque_init(&deque);
  pthread_t threads[THIEVES];
  for (int i = 0; i < THIEVES; ++i)
    CHECK(pthread_create(&threads[i], NULL, thieve, NULL) == 0);
  agpu__task taken;
  for (int next = 0; next < TASKS;) {
    for (int i = 0; i < burst && next < TASKS; ++i)
      agpu__deque_push(&deque, task(next++));
    for (int i = 0; i < pops; ++i)
      if (agpu__deque_pop(&deque, &taken))
        run(taken);
  }
  while (agpu__deque_pop(&deque, &taken))
    run(taken);
  atomic_store(&finished, true);
  for (int i = 0; i < THIEVES; ++i)
    pthread_join(threads[i], NULL);
  CHECK(agpu__deque_is_empty(&deque));
  for (int i = 0; i < TASKS; ++i)
    CHECK_EQ(times[i], 1);
  agpu__deque_destroy(&deque);
}

int main(void) {
  test_several_at_once(false);
  test_several_at_once(true);
  test_one_thread();
  test_owner_and_thieves(1, 1);
  test_owner_and_thieves(2, 1);
  test_owner_and_thieves(7, 9);
  test_owner_and_thieves(5000, 2500);
  return 0;
}
