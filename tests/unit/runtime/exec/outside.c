//===- outside.c - Which tasks of a thread outside are left, and how long -===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/queue/outside.h"
#include "check.h"

#include <pthread.h>
#include <stdbool.h>

static agpu__outside outside = AGPU__OUTSIDE_INIT;

static void run(void *handle) { (void)handle; }

static int handles[4096][2];
static int next_pushed, next_taken;

static void push(int count) {
  for (int i = 0; i < count; ++i)
    agpu__outside_push(&outside, (agpu__task){handles[next_pushed++], run});
}

static void *push_from_another_thread(void *count) {
  push(*(int *)count);
  return NULL;
}

/// Takes up to `limit`, which have to be the next ones.
static int take(agpu__backoff *backoff, size_t limit) {
  agpu__task tasks[64];
  size_t taken = agpu__outside_take(&outside, 0, 1, limit, backoff, tasks);
  for (size_t i = 0; i < taken; ++i)
    CHECK(tasks[i].handle == handles[next_taken++]);
  return (int)taken;
}

static void test_few_are_let_be_once(void) {
  agpu__backoff backoff = {0};
  push(3);
  CHECK_EQ(take(&backoff, 64), 0);
  CHECK(!agpu__outside_is_empty(&outside));
  CHECK_EQ(take(&backoff, 64), 3);
  CHECK_EQ(take(&backoff, 64), 0);
  CHECK(agpu__outside_is_empty(&outside));
}

static void test_impatient_ones_take_what_there_is(void) {
  push(1);
  CHECK_EQ(take(NULL, 64), 1);
}

/// While the spawner goes on, a few times more.
static void test_growing_ones_are_let_be_a_few_times(void) {
  agpu__backoff backoff = {0};
  int looks = 0, taken;
  do {
    push(1);
    ++looks;
    taken = take(&backoff, 64);
  } while (!taken);
  CHECK(looks > 2 && looks < 10);
  CHECK_EQ(taken, looks);
}

static void test_many_are_taken_at_once(void) {
  agpu__backoff backoff = {0};
  push(40);
  CHECK_EQ(take(&backoff, 30), 30);
  CHECK_EQ(take(&backoff, 30), 0);
  CHECK_EQ(take(&backoff, 30), 10);
}

/// Those that their own thread takes: as long as it does, but not one of them
/// for ever.
static void test_those_that_someone_takes_are_let_be(void) {
  agpu__backoff backoff = {0};
  for (int i = 0; i < 100; ++i) {
    push(1);
    CHECK_EQ(take(&backoff, 64), 0);
    agpu__task own;
    agpu__outside_push(&outside, agpu__task_as_brief((agpu__task){
                                     handles[next_pushed++], run}));
    CHECK_EQ(take(NULL, 1), 1);
    CHECK(agpu__outside_begin_help((agpu__wanted){0}, &own));
    agpu__outside_end_help();
    ++next_taken;
  }
  CHECK(backoff.in_vain >= 100);
}

/// Looks until a task that was added alone is taken.
static int count_looks(agpu__backoff *backoff) {
  int looks = 1;
  push(1);
  while (!take(backoff, 64))
    CHECK(++looks < 10);
  return looks;
}

/// Where the spawner blocks elsewhere, patience gains nothing; it is back when
/// the spawner is late for its own task, runs one itself, or adds several.
static void test_patience_that_gains_nothing_ends(void) {
  agpu__backoff backoff = {0};
  for (int change = 0; change < 3; ++change) {
    int patient = 0;
    while (count_looks(&backoff) > 1)
      CHECK(++patient < 10);
    CHECK(patient > 1);
    CHECK_EQ(count_looks(&backoff), 1);
    agpu__task own;
    if (change == 0) {
      CHECK(!agpu__outside_begin_help((agpu__wanted){0}, &own));
    } else if (change == 1) {
      push(2);
      CHECK_EQ(take(&backoff, 64), 0);
      CHECK_EQ(take(&backoff, 64), 2);
    } else if (change == 2) {
      CHECK(!agpu__outside_begin_help((agpu__wanted){0}, &own));
      push(1);
      CHECK_EQ(take(&backoff, 64), 0);
      CHECK_EQ(take(NULL, 64), 1);
    }
  }
}

/// Patience with one thread holds nothing of another's up.
static void test_other_threads_do_not_wait(void) {
  agpu__backoff backoff = {0};
  push(1);
  int first = next_pushed - 1, count = 2;
  CHECK_EQ(take(&backoff, 64), 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, push_from_another_thread, &count) == 0);
  pthread_join(thread, NULL);
  agpu__task tasks[64];
  bool seen[3] = {false};
  for (int looks = 0; !agpu__outside_is_empty(&outside); ++looks) {
    CHECK(looks < 4);
    size_t taken = agpu__outside_take(&outside, 0, 1, 64, &backoff, tasks);
    for (size_t i = 0; i < taken; ++i)
      seen[((int (*)[2])tasks[i].handle - handles) - first] = true;
  }
  CHECK(seen[0] && seen[1] && seen[2]);
}

int main(void) {
  test_few_are_let_be_once();
  test_impatient_ones_take_what_there_is();
  test_growing_ones_are_let_be_a_few_times();
  test_many_are_taken_at_once();
  test_those_that_someone_takes_are_let_be();
  test_patience_that_gains_nothing_ends();
  test_other_threads_do_not_wait();
  agpu__outside_forget(&outside);
  return 0;
}
