//===- outbox_interleaved.c - Outboxes in all interleavings --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__OUTBOX_CAPACITY 2
#include "../../../runtime/exec/outbox.c"

#include "check.h"

#include <string.h>

#define PUSHED 4
#define TAKERS 2

static agpu__outbox outbox;
static int refused;       // pushes
static int taken[PUSHED]; // how often

static void run(void *handle) { (void)handle; }

static char handles[PUSHED];

static void begin(void) {
  agpu__outbox_init(&outbox);
  refused = 0;
  memset(taken, 0, sizeof(taken));
}

static void take(size_t share, size_t limit) {
  agpu__task tasks[PUSHED];
  size_t count = agpu__outbox_take(&outbox, share, limit, tasks);
  for (size_t i = 0; i < count; ++i) {
    CHECK(tasks[i].resume == run);
    ++taken[(char *)tasks[i].handle - handles];
    // Oldest first.
    CHECK(i == 0 || (char *)tasks[i].handle > (char *)tasks[i - 1].handle);
  }
}

/// Thread 0 pushes more than there is room for; the others take batches.
static void work(int thread) {
  if (thread == 0) {
    for (int i = 0; i < PUSHED; ++i)
      if (!agpu__outbox_push(&outbox, (agpu__task){&handles[i], run})) {
        ++taken[i]; // by nobody: it was never in
        ++refused;
      }
  } else {
    take(1, thread == 1 ? 2 : 1);
    take(2, 2);
  }
}

static void end(void) {
  while (!agpu__outbox_is_empty(&outbox))
    take(1, PUSHED);
  for (int i = 0; i < PUSHED; ++i)
    CHECK_EQ(taken[i], 1);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = 1 + TAKERS,
                                         .preemptions = 3,
                                         .begin = begin,
                                         .run = work,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 1000);
  return 0;
}
