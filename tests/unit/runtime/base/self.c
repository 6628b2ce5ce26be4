//===- self.c - Tests of what is done at the end of a thread --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"

#include "check.h"

#include <pthread.h>

static agpu__thread_part order[8];
static int calls;

static void end_cause(void) { order[calls++] = AGPU__PART_ABORT_CAUSE; }

/// Needs a part once more that has ended before.
static void end_counter(void) {
  order[calls++] = AGPU__PART_COUNTER;
  CHECK(agpu__self_at_end(AGPU__PART_ABORT_CAUSE, end_cause));
}

static void *ask(void *unused) {
  CHECK_EQ(agpu__self.parts, 0);
  CHECK(agpu__self_at_end(AGPU__PART_COUNTER, end_counter));
  CHECK(agpu__self_at_end(AGPU__PART_ABORT_CAUSE, end_cause));
  CHECK(agpu__self_at_end(AGPU__PART_ABORT_CAUSE, end_cause));
  CHECK_EQ(calls, 0);
  return unused;
}

static void test_parts_end_once_each_and_in_order(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, ask, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK_EQ(calls, 3);
  CHECK_EQ(order[0], AGPU__PART_ABORT_CAUSE);
  CHECK_EQ(order[1], AGPU__PART_COUNTER);
  CHECK_EQ(order[2], AGPU__PART_ABORT_CAUSE);
}

static pthread_key_t later;

/// As a library does whose destructor runs after the runtime's.
static void call_late(void *value) {
  static int rounds;
  if (++rounds == 1)
    CHECK(pthread_setspecific(later, value) == 0);
  else
    CHECK(agpu__self_at_end(AGPU__PART_ABORT_CAUSE, end_cause));
}

static void *end_late(void *unused) {
  CHECK(agpu__self_at_end(AGPU__PART_ABORT_CAUSE, end_cause));
  CHECK(pthread_setspecific(later, &later) == 0);
  return unused;
}

static void test_what_comes_after_the_end_has_another(void) {
  calls = 0;
  CHECK(pthread_key_create(&later, call_late) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, end_late, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK_EQ(calls, 2);
}

int main(void) {
  test_parts_end_once_each_and_in_order();
  test_what_comes_after_the_end_has_another();
  return 0;
}
