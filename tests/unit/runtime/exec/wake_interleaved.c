//===- wake_interleaved.c - A queue, its sleepers, and their waking -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol of sleep.c over each of the queues that tasks wait in: one
// thread queues tasks and looks who sleeps, another takes what it finds, goes
// to sleep, and looks at the queue once more. A run in which a task is left and
// the worker sleeps fails.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#define AGPU__DEQUE_INITIAL_CAPACITY 2
#define AGPU__OUTBOX_CAPACITY 2
#include "base/sync/park.c"

#include "exec/census.c"
#include "exec/sleep.c"

// Some names are in several of them.
#define slot deque_slot
#define slot_at deque_slot_at
#define read_slot read_deque_slot
#include "exec/queue/deque.c"
#undef slot
#undef slot_at
#undef read_slot

#include "exec/queue/outbox.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#define TASKS 2

// What they need of the runtime.

int64_t agpu__clock_now_ns(void) { return 0; }
int64_t agpu__clock_machine_ns(void) { return 0; }

bool agpu__outside_has_help(agpu__outside *outside, uint64_t *out_helps) {
  (void)outside;
  *out_helps = 0;
  return false;
}

void agpu__outside_end_help(void) { CHECK(0 && "no thread helps here"); }

void agpu__exec_rest(agpu__parker *parker, uint32_t mask) {
  (void)agpu__parker_wait(parker, mask);
}

//===----------------------------------------------------------------------===//
// The queues
//===----------------------------------------------------------------------===//

typedef struct queue {
  const char *name;
  bool (*push)(agpu__task task);
  bool (*take)(agpu__task *out_task);
  bool (*is_empty)(void);
} queue;

static agpu__seat seat;
static agpu__outbox outbox;

static bool push_deque(agpu__task task) {
  agpu__deque_push(&seat.deque, task);
  return true;
}

static bool steal(agpu__task *out_task) {
  return agpu__deque_steal(&seat.deque, out_task) == AGPU__STEAL_TAKEN;
}

static bool push_outbox(agpu__task task) {
  uint64_t index;
  return agpu__outbox_push(&outbox, task, 0, &index);
}

static bool take_outbox(agpu__task *out_task) {
  return agpu__outbox_take(&outbox, 1, 1, out_task) == 1;
}

static bool outbox_is_empty(void) { return agpu__outbox_is_empty(&outbox); }

static bool nothing(void) { return true; }

static const queue queues[] = {
    {"deque", push_deque, steal, nothing},
    {"outbox", push_outbox, take_outbox, outbox_is_empty},
};
static const queue *current;

bool agpu__outside_is_empty(agpu__outside *outside) {
  (void)outside;
  return current->is_empty();
}

//===----------------------------------------------------------------------===//

static agpu__parker parker;
static int written[TASKS]; ///< by who queues it, before that

static void run(void *handle) { (void)handle; }

static void begin(void) {
  agpu__the_executor = (agpu__executor){.active = 1, .most_searchers = 1};
  if (current->is_empty == nothing) {
    agpu__the_executor.seats = &seat;
    agpu__the_executor.seat_count = 1;
  }
  agpu__deque_init(&seat.deque);
  agpu__outbox_init(&outbox);
  agpu__parker_init(&parker);
  memset(written, 0, sizeof(written));
}

/// Thread 0 is the worker, without spinning; thread 1 queues.
static void work(int thread) {
  if (thread == 1) {
    for (int i = 0; i < TASKS; ++i) {
      written[i] = i + 1;
      CHECK(current->push((agpu__task){&written[i], run}));
      agpu__exec_notify();
    }
    return;
  }
  agpu__search search = AGPU__SEARCHES_NOT;
  for (int ran = 0; ran < TASKS;) {
    agpu__task task;
    if (current->take(&task)) {
      agpu__exec_end_search(&search);
      int *word = task.handle;
      CHECK_EQ(*word, word - written + 1);
      ++ran;
      continue;
    }
    if (search == AGPU__SEARCHES_NOT && agpu__exec_begin_search())
      search = AGPU__SEARCHES;
    agpu__exec_sleep(&parker, 0, /*in_task=*/false, &search);
  }
  agpu__exec_end_search(&search);
}

static void end(void) {
  agpu__mutex_lock(&agpu__the_executor.lock);
  CHECK(LIST_EMPTY(&agpu__the_executor.sleepers));
  agpu__mutex_unlock(&agpu__the_executor.lock);
  CHECK_EQ(agpu__the_executor.sleeping, 0);
  CHECK_EQ(agpu__the_executor.searching, 0);
  agpu__deque_destroy(&seat.deque);
}

int main(void) {
  for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); ++i) {
    current = &queues[i];
    long runs = interleave(&(interleaving){.threads = 2,
                                           .preemptions = 3,
                                           .begin = begin,
                                           .run = work,
                                           .end = end});
    printf("%s: %ld runs\n", current->name, runs);
    CHECK(runs > 100);
  }
  return 0;
}
