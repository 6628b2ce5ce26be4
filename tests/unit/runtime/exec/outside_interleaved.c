//===- outside_interleaved.c - Threads' first tasks in all interleavings --===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that submit for the first time get queues of their own while another
// takes from all there are and goes to sleep: each task is taken once, whole,
// and of a submitter that looks who sleeps and a sleeper that looks what there
// is one sees the other.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__OUTBOX_CAPACITY 2
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
#define SUBMITTERS 2

#include "interleave_self.h"

bool agpu__self_at_end(agpu__thread_part part, void (*end)(void)) {
  (void)part;
  return end == disown;
}

static agpu__outside outside;
static int values[SUBMITTERS]; ///< written by who submits, before that
static int taken[SUBMITTERS];  ///< how often
static atomic_int sleeping;
static bool is_told[SUBMITTERS]; ///< the submitter has seen the sleeper
static bool stays;               ///< the sleeper has seen a task, and takes it

static void run(void *handle) { (void)handle; }

static void begin(void) {
  begin_blocks();
  outside = (agpu__outside)AGPU__OUTSIDE_INIT;
  agpu__outside_begin(&outside);
  memset(values, 0, sizeof(values));
  memset(taken, 0, sizeof(taken));
  memset(is_told, 0, sizeof(is_told));
  atomic_init(&sleeping, 0);
  stays = false;
}

static void submit(int thread) {
  values[thread] = 1;
  agpu__outside_push(&outside, (agpu__task){&values[thread], run});
  is_told[thread] = atomic_load_explicit(&sleeping, memory_order_seq_cst) != 0;
}

static bool take(void) {
  agpu__task task;
  if (agpu__outside_take(&outside, 0, 1, 1, NULL, &task) == 0)
    return false;
  CHECK(task.resume == run);
  int number = (int)((int *)task.handle - values);
  CHECK_EQ(values[number], 1);
  CHECK_EQ(++taken[number], 1);
  return true;
}

/// Takes what there is, and then says that it sleeps before it looks again.
static void work(int thread) {
  if (thread < SUBMITTERS) {
    submit(thread);
    if (thread == 0)
      disown(); // it ends
    return;
  }
  uint64_t helps;
  CHECK(!agpu__outside_has_help(&outside, &helps));
  while (take())
    continue;
  atomic_store_explicit(&sleeping, 1, memory_order_seq_cst);
  stays = !agpu__outside_is_empty(&outside);
}

AGPU__UNCHECKED_LOCKS static void end(void) {
  for (int i = 0; i < SUBMITTERS; ++i)
    CHECK(taken[i] == 1 || is_told[i] || stays);
  switch_to(THREADS - 1);
  while (take())
    continue;
  for (int i = 0; i < SUBMITTERS; ++i)
    CHECK_EQ(taken[i], 1);
  // The second has the first one's where that had ended before.
  int made = 0, owned = 0;
  for (size_t i = 0; i < SUBMITTERS; ++i) {
    made += outbox_at(&outside, i) != NULL;
    owned += outside.owned[i];
    agpu__memory_free(outbox_at(&outside, i));
  }
  CHECK_EQ(outside.count, made);
  CHECK_EQ(owned, 1);
  agpu__outside_forget(&outside);
  CHECK_EQ(interleave_heap.blocks, 0);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = THREADS,
                                         .preemptions = 2,
                                         .stale = 1,
                                         .begin = begin,
                                         .run = work,
                                         .end = end,
                                         .enter = switch_to});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
