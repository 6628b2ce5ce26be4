//===- outbox.c - Tasks of a thread outside are taken once ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/queue/outbox.h"
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static agpu__outbox outbox;

#define TAKERS 3
#define TASKS 300000

static int numbers[TASKS];
static atomic_int times[TASKS];
static atomic_int left = TASKS;

static void nothing(void *unused) { (void)unused; }

static agpu__task task_of(int i) { return (agpu__task){&numbers[i], nothing}; }

static bool push(agpu__task task) {
  uint64_t index;
  return agpu__outbox_push(&outbox, task, 0, &index);
}

static void test_order_and_room(void) {
  agpu__outbox_init(&outbox);
  CHECK(agpu__outbox_is_empty(&outbox));
  for (int i = 0; i < AGPU__OUTBOX_CAPACITY; ++i)
    CHECK(push(task_of(i)));
  CHECK(!push(task_of(0)));
  CHECK(!agpu__outbox_is_empty(&outbox));
  agpu__task tasks[64];
  int next = 0;
  CHECK_EQ(agpu__outbox_take(&outbox, AGPU__OUTBOX_CAPACITY - 1, 64, tasks),
           2); // rounded up
  CHECK(tasks[0].handle == &numbers[next++]);
  CHECK(tasks[1].handle == &numbers[next++]);
  CHECK(push(task_of(AGPU__OUTBOX_CAPACITY)));
  size_t count;
  while ((count = agpu__outbox_take(&outbox, 1, 64, tasks)) > 0)
    for (size_t i = 0; i < count; ++i)
      CHECK(tasks[i].handle == &numbers[next++]);
  CHECK_EQ(next, AGPU__OUTBOX_CAPACITY + 1);
  CHECK(agpu__outbox_is_empty(&outbox));
}

/// The owner runs a task, and says so.
static bool help(agpu__outbox *of, agpu__wanted wanted, agpu__task *out_task) {
  uint64_t before = agpu__outbox_helps(of);
  CHECK(before % 2 == 0);
  if (!agpu__outbox_begin_help(of, wanted, out_task)) {
    CHECK(agpu__outbox_helps(of) % 2 == 0);
    return false;
  }
  CHECK(agpu__outbox_helps(of) % 2 == 1);
  agpu__outbox_end_help(of);
  CHECK_EQ(agpu__outbox_helps(of), before + 2);
  return true;
}

static void test_brief_tasks(void) {
  agpu__outbox_init(&outbox);
  agpu__task task;
  CHECK(!help(&outbox, (agpu__wanted){0}, &task));
  CHECK(push(agpu__task_as_brief(task_of(0))));
  CHECK(push(task_of(1)));
  CHECK(help(&outbox, (agpu__wanted){0}, &task));
  CHECK(agpu__task_is_brief(task));
  CHECK(!help(&outbox, (agpu__wanted){0}, &task));
  CHECK_EQ(agpu__outbox_take(&outbox, 1, 1, &task), 1);
  CHECK(!agpu__task_is_brief(task));
  CHECK(task.handle == &numbers[1]);
}

static void test_wanted_tasks(void) {
  agpu__outbox_init(&outbox);
  uint64_t first, second, third;
  CHECK(agpu__outbox_push(&outbox, task_of(0), agpu__names(4, 2), &first));
  CHECK(agpu__outbox_push(&outbox, task_of(1), 0, &second));
  CHECK(agpu__outbox_push(&outbox, task_of(2), agpu__names(6, 1), &third));
  agpu__task task;
  // Not the oldest, by name or index; nothing; no name.
  CHECK(!help(&outbox, (agpu__wanted){.first = second, .count = 2, .name = 6},
              &task));
  CHECK(!help(&outbox, (agpu__wanted){.first = first, .name = 3}, &task));
  CHECK(help(&outbox, (agpu__wanted){.name = 5}, &task));
  CHECK(task.handle == &numbers[0]);
  CHECK(!help(&outbox, (agpu__wanted){0}, &task));
  agpu__wanted both = {.first = second, .count = 2};
  CHECK(help(&outbox, both, &task));
  CHECK(help(&outbox, both, &task));
  CHECK(task.handle == &numbers[2]);
  // An index is told by its lower bits.
  CHECK(push(task_of(3)));
  CHECK(help(&outbox,
             (agpu__wanted){.first = third + 1 + AGPU__OUTBOX_TOLD_MASK + 1,
                            .count = 1},
             &task));
}

static void *take(void *unused) {
  (void)unused;
  int last = -1;
  while (atomic_load(&left) > 0) {
    agpu__task tasks[8];
    size_t count = agpu__outbox_take(&outbox, 2, 8, tasks);
    if (count == 0)
      sched_yield();
    for (size_t i = 0; i < count; ++i) {
      int number = (int)((int *)tasks[i].handle - numbers);
      CHECK(number > last);
      last = number;
      atomic_fetch_add(&times[number], 1);
    }
    atomic_fetch_sub(&left, (int)count);
  }
  return NULL;
}

static void test_each_is_taken_once(void) {
  agpu__outbox_init(&outbox);
  pthread_t takers[TAKERS];
  for (int i = 0; i < TAKERS; ++i)
    CHECK(pthread_create(&takers[i], NULL, take, NULL) == 0);
  for (int i = 0; i < TASKS; ++i)
    while (!push(task_of(i)))
      sched_yield();
  for (int i = 0; i < TAKERS; ++i)
    pthread_join(takers[i], NULL);
  for (int i = 0; i < TASKS; ++i)
    CHECK_EQ(times[i], 1);
}

int main(void) {
  test_order_and_room();
  test_brief_tasks();
  test_wanted_tasks();
  test_each_is_taken_once();
  return 0;
}
