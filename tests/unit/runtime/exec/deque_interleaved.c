//===- deque_interleaved.c - Deques in all interleavings -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__DEQUE_INITIAL_CAPACITY 2
#include "exec/queue/deque.c"

#include "check.h"
#include "interleave_memory.h"

#include <string.h>

#define PUSHED 3
#define THIEVES 2

static agpu__deque deque;
static int taken[PUSHED];   // how often
static int written[PUSHED]; // by who pushes, before that

static void run(void *handle) { (void)handle; }

static void begin(void) {
  agpu__deque_init(&deque);
  memset(taken, 0, sizeof(taken));
}

static void count(agpu__task task) {
  CHECK(task.resume == run);
  int *word = task.handle;
  CHECK_EQ(*word, word - written + 1);
  *word = 0; // it is the taker's
  ++taken[word - written];
}

static void push(int i) {
  written[i] = i + 1;
  agpu__deque_push(&deque, (agpu__task){&written[i], run});
}

/// Thread 0, the owner, makes the ring grow, and pops until there is no task
/// left; the others steal.
static void work(int thread) {
  agpu__task task;
  if (thread == 0) {
    push(0);
    if (agpu__deque_pop(&deque, &task))
      count(task);
    written[1] = 2;
    written[2] = 3;
    agpu__task both[] = {{&written[1], run}, {&written[2], run}};
    agpu__deque_push_all(&deque, both, 2);
    while (agpu__deque_pop(&deque, &task))
      count(task);
  } else if (agpu__deque_steal(&deque, &task) == AGPU__STEAL_TAKEN) {
    count(task);
  }
}

static void begin_full(void) {
  begin();
  for (int i = 0; i < PUSHED - 1; ++i)
    push(i);
}

/// The same, where a thief may be in the middle of a steal as the ring grows.
static void work_growing(int thread) {
  agpu__task task;
  if (thread == 0) {
    push(PUSHED - 1);
    if (agpu__deque_pop(&deque, &task))
      count(task);
  } else {
    for (int i = 0; i < 2; ++i)
      if (agpu__deque_steal(&deque, &task) == AGPU__STEAL_TAKEN)
        count(task);
  }
}

static void end(void) {
  agpu__task task;
  while (agpu__deque_pop(&deque, &task))
    count(task);
  CHECK(agpu__deque_is_empty(&deque));
  for (int i = 0; i < PUSHED; ++i)
    CHECK_EQ(taken[i], 1);
  agpu__deque_destroy(&deque);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = 1 + THIEVES,
                                         .preemptions = 2,
                                         .begin = begin,
                                         .run = work,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  runs = interleave(&(interleaving){.threads = 1 + THIEVES,
                                    .preemptions = 2,
                                    .begin = begin_full,
                                    .run = work_growing,
                                    .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
