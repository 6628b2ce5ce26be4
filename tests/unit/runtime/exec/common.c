//===- common.c - Tasks of many threads outside come in order -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread is one for which no outbox is left.
//
//===----------------------------------------------------------------------===//

#include "base/os/self.h"
#include "check.h"
#include "exec/queue/outside.h"

static agpu__outside outside = AGPU__OUTSIDE_INIT;

static int numbers[1000];

static void nothing(void *unused) { (void)unused; }

static void push(int i) {
  agpu__outside_push(&outside, (agpu__task){&numbers[i], nothing});
}

static int next = 0; // the oldest that is still in

static void check_take(size_t share, size_t limit, size_t expected) {
  agpu__task tasks[64];
  CHECK_EQ(agpu__outside_take(&outside, 0, share, limit, NULL, tasks),
           expected);
  for (size_t i = 0; i < expected; ++i)
    CHECK(tasks[i].handle == &numbers[next++]);
}

int main(void) {
  agpu__self.exec.outbox_number = AGPU__OUTBOXES + 1;
  check_take(1, 64, 0); // before it is made
  agpu__outside_begin(&outside);
  CHECK(agpu__outside_is_empty(&outside));
  check_take(1, 64, 0);
  for (int i = 0; i < 100; ++i)
    push(i);
  CHECK(!agpu__outside_is_empty(&outside));
  check_take(4, 64, 25);  // a share
  check_take(4, 8, 8);    // the limit
  check_take(100, 64, 1); // at least one
  for (int i = 100; i < 1000; ++i)
    push(i); // grows with a head that is not 0
  while (next < 1000)
    check_take(1, 1, 1);
  CHECK(agpu__outside_is_empty(&outside));
  agpu__outside_forget(&outside);
  CHECK(agpu__outside_is_empty(&outside));
  return 0;
}
