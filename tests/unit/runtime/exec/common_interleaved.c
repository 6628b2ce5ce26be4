//===- common_interleaved.c - The common queue in all interleavings -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads are ones for which no outbox is left.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__DEQUE_INITIAL_CAPACITY 2
#include "base/sync/lock.c"
// Some names are in both.
#define slot deque_slot
#define slot_at deque_slot_at
#define read_slot read_deque_slot
#include "exec/queue/deque.c"
#undef slot
#undef slot_at
#undef read_slot

#include "exec/queue/outbox.c"
#include "exec/queue/outside.c"

#include "check.h"
#include "interleave_memory.h"

#define THREADS 3
#define PUSHED 4

#include "interleave_self.h"

// No thread gets there.
bool agpu__self_at_end(agpu__thread_part part, void (*end)(void)) {
  (void)part;
  return end == NULL;
}

static agpu__outside outside = AGPU__OUTSIDE_INIT;
static int taken[PUSHED]; // how often
static int handles[PUSHED];

static void run(void *handle) { (void)handle; }

static void begin(void) {
  begin_blocks();
  agpu__outside_begin(&outside);
  memset(taken, 0, sizeof(taken));
}

static int take(size_t share, size_t limit) {
  agpu__task tasks[PUSHED];
  size_t count = agpu__outside_take(&outside, 0, share, limit, NULL, tasks);
  CHECK(count <= limit);
  for (size_t i = 0; i < count; ++i)
    ++taken[(int *)tasks[i].handle - handles];
  return (int)count;
}

/// Threads 0 and 1 push two each and look for one; thread 2 takes what it sees.
static void work(int thread) {
  agpu__self.exec.outbox_number = AGPU__OUTBOXES + 1;
  if (thread == 2) {
    (void)take(2, PUSHED);
    (void)take(1, PUSHED);
    return;
  }
  for (int i = 0; i < 2; ++i)
    agpu__outside_push(&outside, (agpu__task){&handles[thread * 2 + i], run});
  (void)take(1, 1);
}

static void end(void) {
  while (take(1, 1))
    continue;
  CHECK(agpu__outside_is_empty(&outside));
  for (int i = 0; i < PUSHED; ++i)
    CHECK_EQ(taken[i], 1);
  agpu__outside_forget(&outside);
  CHECK_EQ(interleave_heap.blocks, 0);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = THREADS,
                                         .preemptions = 2,
                                         .begin = begin,
                                         .run = work,
                                         .end = end,
                                         .enter = switch_to});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
