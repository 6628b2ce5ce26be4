//===- wait.c - Tasks that wait do not hold others up -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One worker, so that every wait inside a task would deadlock if the worker
// were blocked by it.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "exec/executor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct gate {
  agpu__parker parker;
} gate;

static void open_gate(void *handle) {
  agpu__parker_signal(&((gate *)handle)->parker, AGPU__EXEC_DONE);
}

static void wait_gate(gate *closed) { agpu__exec_wait(&closed->parker); }

static void init_gate(gate *closed) { agpu__parker_init(&closed->parker); }

/// Spawns a task and waits for it, in a task.
static void spawn_and_wait(void *done) {
  gate inner;
  init_gate(&inner);
  agpu__exec_submit((agpu__task){&inner, open_gate});
  wait_gate(&inner);
  open_gate(done);
}

static void test_wait_inside_a_task(void) {
  for (int i = 0; i < 500; ++i) {
    gate outer;
    init_gate(&outer);
    agpu__exec_submit((agpu__task){&outer, spawn_and_wait});
    agpu__parker_wait(&outer.parker, AGPU__EXEC_DONE);
  }
}

/// A chain of waits as deep as `left`.
typedef struct level {
  int left;
  gate done;
} level;

static void descend(void *handle) {
  level *this = handle;
  if (this->left > 0) {
    level below = {.left = this->left - 1};
    init_gate(&below.done);
    agpu__exec_submit((agpu__task){&below, descend});
    wait_gate(&below.done);
  }
  open_gate(&this->done);
}

static void test_nested_waits(int depth) {
  level top = {.left = depth};
  init_gate(&top.done);
  agpu__exec_submit((agpu__task){&top, descend});
  wait_gate(&top.done);
}

// The upper of two tasks needs the lower one to go on: `first` waits for a
// gate; while it waits, `second` runs and waits for what `first` does after.
static gate first_may_go, second_may_go, both_done;

static void first(void *unused) {
  (void)unused;
  wait_gate(&first_may_go);
  open_gate(&second_may_go);
}

static void second(void *unused) {
  (void)unused;
  open_gate(&first_may_go);
  wait_gate(&second_may_go);
  open_gate(&both_done);
}

static void test_crossed_waits(void) {
  for (int i = 0; i < 500; ++i) {
    init_gate(&first_may_go);
    init_gate(&second_may_go);
    init_gate(&both_done);
    agpu__exec_submit((agpu__task){NULL, first});
    if (i % 8 == 0)
      usleep(100);
    agpu__exec_submit((agpu__task){NULL, second});
    agpu__parker_wait(&both_done.parker, AGPU__EXEC_DONE);
    agpu__exec_drain();
  }
}

static gate everyone_may_go;
static atomic_int waiters, passed;

static void wait_for_all(void *all) {
  if (atomic_fetch_add(&waiters, 1) + 1 == *(int *)all)
    for (int i = 0; i < *(int *)all; ++i)
      agpu__exec_submit((agpu__task){&everyone_may_go, open_gate});
  gate own;
  init_gate(&own);
  agpu__exec_submit((agpu__task){&own, open_gate});
  wait_gate(&own);
  atomic_fetch_add(&passed, 1);
}

static void test_many_wait_at_once(void) {
  int all = 300;
  init_gate(&everyone_may_go);
  for (int i = 0; i < all; ++i)
    agpu__exec_submit((agpu__task){&all, wait_for_all});
  wait_gate(&everyone_may_go);
  agpu__exec_drain();
  CHECK_EQ(passed, all);
}

static gate opened_last;
static atomic_bool blocked_began;

/// Keeps the worker busy for a tenth of a second, in which a thread from
/// outside that ran tasks would run `block`.
static void keep_busy(void *started) {
  open_gate(started);
  for (int i = 0; i < 1000 && !atomic_load(&blocked_began); ++i)
    usleep(100);
}

static void block(void *done) {
  atomic_store(&blocked_began, true);
  wait_gate(&opened_last);
  open_gate(done);
}

/// The main thread waits for one task and then does what another waits for.
static void test_threads_outside_do_not_run_tasks(void) {
  gate started, blocked, quick;
  init_gate(&started);
  init_gate(&blocked);
  init_gate(&quick);
  init_gate(&opened_last);
  agpu__exec_submit((agpu__task){&started, keep_busy});
  wait_gate(&started);
  agpu__exec_submit((agpu__task){&blocked, block});
  agpu__exec_submit((agpu__task){&quick, open_gate});
  wait_gate(&quick);
  open_gate(&opened_last);
  wait_gate(&blocked);
  agpu__exec_drain();
}

// A brief task, which the worker has no time for.
static atomic_bool brief_ran;
static pthread_t brief_ran_on;

static void keep_busy_until_brief_ran(void *started) {
  open_gate(started);
  for (int i = 0; i < 100000 && !atomic_load(&brief_ran); ++i)
    usleep(100);
}

static void be_brief(void *done) {
  brief_ran_on = pthread_self();
  atomic_store(&brief_ran, true);
  open_gate(done);
}

static void test_threads_outside_run_brief_tasks(void) {
  gate started, brief;
  init_gate(&started);
  init_gate(&brief);
  agpu__exec_submit((agpu__task){&started, keep_busy_until_brief_ran});
  wait_gate(&started);
  agpu__exec_submit(agpu__task_as_brief((agpu__task){&brief, be_brief}));
  wait_gate(&brief);
  CHECK(pthread_equal(brief_ran_on, pthread_self()));
  agpu__exec_drain();
}

static void take_a_moment(void *handle) {
  usleep(20000);
  atomic_fetch_add((atomic_int *)handle, 1);
}

static void test_drain_waits_for_running_tasks(void) {
  atomic_int ran = 0;
  for (int i = 0; i < 3; ++i)
    agpu__exec_submit((agpu__task){&ran, take_a_moment});
  agpu__exec_drain();
  CHECK_EQ(ran, 3);
}

int main(void) {
  CHECK_EQ(agpu__exec_worker_count(), 1);
  test_wait_inside_a_task();
  test_nested_waits(50);
  test_nested_waits(1500); // more than there are spare threads
  test_crossed_waits();
  test_many_wait_at_once();
  test_threads_outside_do_not_run_tasks();
  test_threads_outside_run_brief_tasks();
  test_drain_waits_for_running_tasks();
  agpu__exec_stop();
  return 0;
}
