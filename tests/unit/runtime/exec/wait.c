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

static void wait_gate(gate *closed) {
  agpu__exec_wait(&closed->parker, (agpu__wanted){0});
}

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

// A chain of tasks, each of which hands on to the next on its own thread; a
// task from outside comes in between.
static atomic_bool is_between;
static gate chain_ended;

static void step_on(void *handle) {
  int *left = handle;
  if ((*left)-- > 0) {
    agpu__exec_announce();
    agpu__exec_submit_next((agpu__task){left, step_on});
  } else {
    open_gate(&chain_ended);
  }
}

/// Holds the worker until the other task is queued behind this one.
static void begin_chain(void *handle) {
  while (!atomic_load(&is_between))
    usleep(100);
  step_on(handle);
}

static void wait_for_chain(void *done) {
  wait_gate(&chain_ended);
  open_gate(done);
}

static void test_a_chain_goes_on_while_a_task_in_between_waits(void) {
  int left = 1000;
  gate started, waited;
  init_gate(&started);
  init_gate(&waited);
  init_gate(&chain_ended);
  agpu__exec_submit((agpu__task){&started, open_gate});
  agpu__exec_submit((agpu__task){&left, begin_chain});
  // The worker takes what is outside in batches: the next is not in this one.
  wait_gate(&started);
  usleep(1000);
  agpu__exec_submit((agpu__task){&waited, wait_for_chain});
  atomic_store(&is_between, true);
  wait_gate(&waited);
  agpu__exec_drain();
}

/// What it hands on to may be what it waits for: it does not return at once, as
/// it should, or is a spawner that has started something on top of itself.
static void hand_on_and_wait(void *done) {
  for (int i = 0; i < 2; ++i) {
    gate inner;
    init_gate(&inner);
    bool here = i > 0 && agpu__exec_run_inline();
    agpu__exec_announce();
    agpu__exec_submit_next((agpu__task){&inner, open_gate});
    if (here)
      agpu__exec_started_here(/*suspended=*/false);
    wait_gate(&inner);
  }
  open_gate(done);
}

static void test_what_a_task_hands_on_to_runs_while_it_waits(void) {
  gate done;
  init_gate(&done);
  agpu__exec_submit((agpu__task){&done, hand_on_and_wait});
  wait_gate(&done);
}

// A task that waits with another on top of it, for want of threads, and has no
// seat any more when that one returns.
static gate lower_may_go, lower_done;
static atomic_int crowd, crowd_gone;

static void stand_in_crowd(void *handle) {
  gate *own = handle;
  atomic_fetch_add(&crowd, 1);
  wait_gate(own);
  atomic_fetch_add(&crowd_gone, 1);
}

static void give_seat_away(void *one_of_crowd) {
  // A thread becomes spare.
  open_gate(one_of_crowd);
  while (atomic_load(&crowd_gone) == 0)
    usleep(1000);
  usleep(20000);
  // It gets the seat, to run what this waits for.
  gate own;
  init_gate(&own);
  agpu__exec_submit((agpu__task){&own, open_gate});
  wait_gate(&own);
}

static void wait_below(void *one_of_crowd) {
  agpu__exec_submit((agpu__task){one_of_crowd, give_seat_away});
  wait_gate(&lower_may_go);
  open_gate(&lower_done);
}

static atomic_bool may_end;

static void hold_worker(void *started) {
  open_gate(started);
  while (!atomic_load(&may_end))
    usleep(1000);
}

static void test_a_seat_is_given_away_on_top_of_a_wait(void) {
  enum { CROWD = 1001 }; // threads that the executor has at most
  static gate gates[CROWD];
  for (int i = 0; i < CROWD - 1; ++i) {
    init_gate(&gates[i]);
    agpu__exec_submit((agpu__task){&gates[i], stand_in_crowd});
  }
  while (atomic_load(&crowd) < CROWD - 1)
    usleep(1000);
  init_gate(&lower_may_go);
  init_gate(&lower_done);
  agpu__exec_submit((agpu__task){&gates[0], wait_below});
  while (atomic_load(&crowd_gone) == 0)
    usleep(1000);
  usleep(50000);
  open_gate(&gates[1]); // one more thread is spare
  while (atomic_load(&crowd_gone) == 1)
    usleep(1000);
  usleep(50000);
  // While the worker is busy, who sleeps without a seat is not to be woken for
  // what is queued: it could neither run it nor seat another.
  gate busy, quick;
  init_gate(&busy);
  init_gate(&quick);
  atomic_store(&may_end, false);
  agpu__exec_submit((agpu__task){&busy, hold_worker});
  wait_gate(&busy);
  agpu__exec_submit((agpu__task){&quick, open_gate});
  usleep(50000);
  atomic_store(&may_end, true);
  wait_gate(&quick);
  usleep(50000);
  init_gate(&quick);
  agpu__exec_submit((agpu__task){&quick, open_gate});
  wait_gate(&quick);
  open_gate(&lower_may_go);
  wait_gate(&lower_done);
  for (int i = 2; i < CROWD - 1; ++i)
    open_gate(&gates[i]);
  agpu__exec_drain();
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
  test_a_chain_goes_on_while_a_task_in_between_waits();
  test_what_a_task_hands_on_to_runs_while_it_waits();
  test_a_seat_is_given_away_on_top_of_a_wait();
  agpu__exec_stop();
  return 0;
}
