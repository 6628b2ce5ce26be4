//===- outbox_interleaved.c - Outboxes in all interleavings --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__OUTBOX_CAPACITY 2
#include "exec/queue/outbox.c"

#include "check.h"

#include <string.h>

#define PUSHED 4
#define TAKERS 2

static agpu__outbox outbox;
static int refused;       // pushes
static int pushed;        // so many were pushed or refused
static int in_hand;       // takers that take
static int taken[PUSHED]; // how often

static void run(void *handle) { (void)handle; }

static int handles[PUSHED]; // written by who pushes, before that

static void begin(void) {
  agpu__outbox_init(&outbox);
  refused = pushed = in_hand = 0;
  memset(taken, 0, sizeof(taken));
}

static agpu__task task_of(int i) {
  agpu__task task = {&handles[i], run};
  return i % 2 ? task : agpu__task_as_brief(task);
}

static bool push(agpu__task task) {
  uint64_t index;
  *(int *)task.handle = 1;
  return agpu__outbox_push(&outbox, task, 0, &index);
}

static void count(agpu__task task) {
  // What belongs together: a function, with its mark, and a handle.
  int number = (int)((int *)task.handle - handles);
  CHECK(agpu__task_is_brief(task) == (number % 2 == 0));
  CHECK(task.resume == task_of(number).resume);
  CHECK_EQ(handles[number], 1);
  handles[number] = 2; // it is the taker's
  ++taken[number];
}

// What the checks know beside the threads.
INTERLEAVE_UNSEEN static void take_in_hand(int by) { in_hand += by; }
INTERLEAVE_UNSEEN static void note_pushed(int count) { pushed = count; }

static void take(size_t share, size_t limit) {
  agpu__task tasks[PUSHED];
  take_in_hand(1);
  size_t found = agpu__outbox_take(&outbox, share, limit, tasks);
  for (size_t i = 0; i < found; ++i) {
    count(tasks[i]);
    // Oldest first.
    CHECK(i == 0 || (char *)tasks[i].handle > (char *)tasks[i - 1].handle);
  }
  take_in_hand(-1);
}

/// What is seen to be gone while the owner is seen not to help has been run.
INTERLEAVE_UNSEEN static void look(void) {
  int before = pushed;
  bool rests =
      agpu__outbox_is_empty(&outbox) && agpu__outbox_helps(&outbox) % 2 == 0;
  for (int i = 0; rests && in_hand == 0 && i < before; ++i)
    CHECK_EQ(taken[i], 1);
}

/// Thread 0 pushes more than there is room for, and takes those at the head
/// that are brief; the others take batches.
static void work(int thread) {
  if (thread == 0) {
    for (int i = 0; i < PUSHED; ++i)
      if (!push(task_of(i))) {
        ++taken[i]; // by nobody: it was never in
        ++refused;
      } else {
        note_pushed(i + 1);
      }
    agpu__task task;
    while (agpu__outbox_begin_help(&outbox, (agpu__wanted){0}, &task)) {
      count(task);
      agpu__outbox_end_help(&outbox);
    }
  } else {
    take(1, thread == 1 ? 2 : 1);
    look();
    take(2, 2);
  }
}

/// Thread 0 pushes tasks that are brief, and runs what is not taken meanwhile;
/// another looks what there is, and then whether all that is over: it sees what
/// was done if so.
static void work_looking(int thread) {
  if (thread == 0) {
    agpu__task task;
    for (int i = 0; i < PUSHED; i += 2) {
      CHECK(push(task_of(i)));
      while (agpu__outbox_begin_help(&outbox, (agpu__wanted){0}, &task)) {
        count(task);
        agpu__outbox_end_help(&outbox);
      }
    }
    return;
  }
  for (int i = 0; i < 2; ++i) {
    uint64_t head, tail;
    agpu__outbox_look(&outbox, &head, &tail);
    CHECK(head <= tail);
    if (agpu__outbox_is_empty(&outbox) && agpu__outbox_helps(&outbox) % 2 == 0)
      for (uint64_t task = 0; task < tail; ++task)
        CHECK_EQ(handles[task * 2], 2);
  }
}

static void end_looking(void) { CHECK(agpu__outbox_is_empty(&outbox)); }

static void end(void) {
  while (!agpu__outbox_is_empty(&outbox))
    take(1, PUSHED);
  for (int i = 0; i < PUSHED; ++i)
    CHECK_EQ(taken[i], 1);
}

int main(void) {
  long runs = interleave(&(interleaving){.threads = 1 + TAKERS,
                                         .preemptions = INTERLEAVE_BOUND(3, 2),
                                         .begin = begin,
                                         .run = work,
                                         .end = end});
  printf("%ld runs\n", runs);
  CHECK(runs > 1000);
  runs = interleave(&(interleaving){.threads = 2,
                                    .preemptions = 3,
                                    .begin = begin,
                                    .run = work_looking,
                                    .end = end_looking});
  printf("%ld runs\n", runs);
  CHECK(runs > 100);
  return 0;
}
