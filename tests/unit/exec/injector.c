//===- injector.c - Tasks from outside come in order --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/injector.h"
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static agpu__injector injector;

static int numbers[1000];

static void nothing(void *unused) { (void)unused; }

static void push(int i) {
  agpu__injector_push(&injector, (agpu__task){&numbers[i], nothing});
}

static int next = 0; // the oldest that is still in

static void check_take(size_t share, size_t limit, size_t expected) {
  agpu__task tasks[64];
  CHECK_EQ(agpu__injector_take(&injector, share, limit, tasks), expected);
  for (size_t i = 0; i < expected; ++i)
    CHECK(tasks[i].handle == &numbers[next++]);
}

static void *take_all(void *unused) {
  (void)unused;
  agpu__task task;
  while (agpu__injector_take(&injector, 1, 1, &task) == 1)
    usleep(10);
  return NULL;
}

static void test_waiting_for_room(void) {
  CHECK(agpu__injector_wait(&injector, 0, 1000000)); // there is room
  for (int i = 0; i < 100; ++i)
    push(i);
  CHECK_EQ(agpu__injector_size(&injector), 100);
  CHECK(!agpu__injector_wait(&injector, 50, 1000000)); // nobody takes any
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, take_all, NULL) == 0);
  bool has_room = false;
  for (int i = 0; i < 100 && !has_room; ++i)
    has_room = agpu__injector_wait(&injector, 50, 100 * 1000000);
  CHECK(has_room);
  CHECK(agpu__injector_size(&injector) <= 50);
  pthread_join(thread, NULL);
}

int main(void) {
  agpu__injector_init(&injector);
  CHECK(agpu__injector_is_empty(&injector));
  check_take(1, 64, 0);
  for (int i = 0; i < 100; ++i)
    push(i);
  CHECK(!agpu__injector_is_empty(&injector));
  check_take(4, 64, 25);  // a share
  check_take(4, 8, 8);    // the limit
  check_take(100, 64, 1); // at least one
  for (int i = 100; i < 1000; ++i)
    push(i); // wraps and grows with a head that is not 0
  while (next < 1000)
    check_take(1, 1, 1);
  CHECK(agpu__injector_is_empty(&injector));
  test_waiting_for_room();
  agpu__injector_destroy(&injector);
  return 0;
}
