//===- parallel.c - Loops on all threads --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/loop/parallel.h"

#include "check.h"
#include "exec/executor.h"
#include "exec/loop/loop.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/// Not atomic: the end of a loop makes what its iterations wrote visible, and
/// the thread sanitizer sees where it does not.
typedef struct counted {
  int64_t count;
  int64_t *times;
} counted;

static void count_up(void *context, int64_t begin, int64_t end) {
  const counted *loop = context;
  CHECK(0 <= begin && begin < end && end <= loop->count);
  for (int64_t i = begin; i < end; ++i)
    ++loop->times[i];
}

static void run_counted(int64_t count, int64_t grain, int rounds) {
  counted loop = {.count = count, .times = calloc((size_t)count + 1, 8)};
  CHECK(loop.times);
  for (int i = 0; i < rounds; ++i)
    agpu__exec_parallel_for(count, grain, count_up, &loop);
  for (int64_t i = 0; i < count; ++i)
    CHECK_EQ(loop.times[i], rounds);
  CHECK_EQ(loop.times[count], 0);
  free(loop.times);
}

static void test_each_iteration_runs_once(void) {
  static const int64_t counts[] = {1, 2, 3, 63, 64, 65, 1000, 100003};
  static const int64_t grains[] = {0, 1, 7, 64, 1000000};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (size_t k = 0; k < sizeof(grains) / sizeof(*grains); ++k)
      run_counted(counts[i], grains[k], 3);
}

static void fail(void *context, int64_t begin, int64_t end) {
  (void)context;
  (void)begin;
  (void)end;
  CHECK(0 && "no iteration runs");
}

static void test_no_iteration(void) {
  agpu__exec_parallel_for(0, 1, fail, NULL);
  agpu__exec_parallel_for(-5, 1, fail, NULL);
  agpu__exec_parallel_for(INT64_MIN, 1, fail, NULL);
}

static void check_whole(void *context, int64_t begin, int64_t end) {
  CHECK_EQ(begin, 0);
  CHECK_EQ(end, *(int64_t *)context);
}

static void test_less_than_two_grains_stays_here(void) {
  int64_t count = 199;
  agpu__exec_parallel_for(count, 100, check_whole, &count);
}

/// A loop of more iterations than fit 32 bits.
static void add_length(void *context, int64_t begin, int64_t end) {
  atomic_fetch_add((_Atomic(int64_t) *)context, end - begin);
}

static void test_a_very_long_loop(void) {
  _Atomic(int64_t) total = 0;
  agpu__exec_parallel_for(INT64_MAX, 1, add_length, &total);
  CHECK(total == INT64_MAX);
}

/// Loops one after the other, each of which sees what the one before wrote.
static void test_many_short_loops(void) { run_counted(256, 1, 20000); }

static void run_inner(void *context, int64_t begin, int64_t end) {
  (void)context;
  for (int64_t i = begin; i < end; ++i)
    run_counted(200, 1, 2);
}

/// More loops at once than there is room for.
static void test_nested_loops(void) {
  agpu__exec_parallel_for(4 * AGPU__LOOPS, 1, run_inner, NULL);
}

static void *run_loops(void *unused) {
  (void)unused;
  run_counted(300, 1, 300);
  return NULL;
}

static void test_loops_of_many_threads(void) {
  pthread_t threads[2 * AGPU__LOOPS];
  for (size_t i = 0; i < 2 * AGPU__LOOPS; ++i)
    CHECK_EQ(pthread_create(&threads[i], NULL, run_loops, NULL), 0);
  for (size_t i = 0; i < 2 * AGPU__LOOPS; ++i)
    pthread_join(threads[i], NULL);
}

static atomic_int tasks_left;

static void run_in_task(void *done) {
  run_counted(500, 1, 20);
  if (atomic_fetch_sub(&tasks_left, 1) == 1)
    agpu__parker_signal(done, AGPU__EXEC_DONE);
}

static void test_loops_in_tasks(void) {
  agpu__parker done;
  agpu__parker_init(&done);
  tasks_left = 100;
  for (int i = 0; i < 100; ++i)
    agpu__exec_submit((agpu__task){&done, run_in_task});
  agpu__exec_wait(&done, (agpu__wanted){0});
}

/// An iteration waits for a task, which runs although every worker may be in
/// the loop.
static void open_gate(void *gate) {
  agpu__parker_signal(gate, AGPU__EXEC_DONE);
}

static void wait_for_task(void *context, int64_t begin, int64_t end) {
  (void)context;
  for (int64_t i = begin; i < end; ++i) {
    agpu__parker gate;
    agpu__parker_init(&gate);
    agpu__exec_submit((agpu__task){&gate, open_gate});
    agpu__exec_wait(&gate, (agpu__wanted){0});
  }
}

static void test_iterations_wait(void) {
  agpu__exec_parallel_for(200, 1, wait_for_task, NULL);
}

/// One iteration ends only when another one has run: where there are helpers,
/// the owner waits for one that is slow. Without helpers nobody else could run
/// the other one, so the first does not wait then.
static atomic_bool last_ran;

static void wait_for_last(void *context, int64_t begin, int64_t end) {
  bool several = *(bool *)context;
  if (end == 2)
    atomic_store(&last_ran, true);
  while (begin == 0 && end == 1 && several && !atomic_load(&last_ran))
    sched_yield();
}

static void test_two_threads_take_part(void) {
  bool several = agpu__exec_worker_count() > 1;
  for (int i = 0; i < 200; ++i) {
    atomic_store(&last_ran, false);
    agpu__exec_parallel_for(2, 1, wait_for_last, &several);
    CHECK(atomic_load(&last_ran));
  }
}

static void sleep_a_little(void *context, int64_t begin, int64_t end) {
  (void)context;
  struct timespec time = {.tv_nsec = 2000000 * (end - begin)};
  nanosleep(&time, NULL);
}

/// Long enough for the owner to go to sleep while a helper is at work.
static void test_the_owner_sleeps(void) {
  for (int i = 0; i < 20; ++i)
    agpu__exec_parallel_for(3, 1, sleep_a_little, NULL);
}

int main(void) {
  test_each_iteration_runs_once();
  test_no_iteration();
  test_less_than_two_grains_stays_here();
  test_a_very_long_loop();
  test_many_short_loops();
  test_nested_loops();
  test_loops_of_many_threads();
  test_loops_in_tasks();
  test_iterations_wait();
  test_two_threads_take_part();
  test_the_owner_sleeps();
  return 0;
}
