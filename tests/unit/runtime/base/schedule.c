//===- schedule.c - Tests of schedules drawn from a seed ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/sync/schedule.h"
#include "base/report/status_track.h"
#include "check.h"

#include "async_gpu/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void read_seed(const char *text) {
  if (text)
    setenv("ASYNC_GPU_SEED", text, 1);
  else
    unsetenv("ASYNC_GPU_SEED");
  agpu__schedule_read();
}

static void test_without_a_seed_nothing_strays(void) {
  read_seed(NULL);
  CHECK(!agpu__schedule_on());
  for (int i = 0; i < 10000; ++i)
    CHECK(!agpu__stray(AGPU__POINT_FIND));
}

static void test_malformed_seeds_are_errors(void) {
  static const char *const refused[] = {"-1", "x", "1 ", "1,2"};
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
    read_seed(refused[i]);
    CHECK(!agpu__schedule_on());
    agpu_status status = agpu__status_take_reported();
    CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_INVALID_ARGUMENT);
    CHECK(strstr(agpu_status_get_message(status), "ASYNC_GPU_SEED"));
    agpu_status_release(status);
  }
}

enum { DRAWS = 200 };

/// In a thread of its own, which begins to draw.
static void *draw(void *drawn) {
  for (int i = 0; i < DRAWS; ++i)
    ((uint32_t *)drawn)[i] = agpu__schedule_random();
  return NULL;
}

static void draw_with(const char *seed, uint32_t *drawn) {
  pthread_t thread;
  read_seed(seed);
  CHECK(pthread_create(&thread, NULL, draw, drawn) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void test_a_seed_draws_the_same_again(void) {
  uint32_t first[DRAWS], again[DRAWS], other[DRAWS];
  draw_with("5", first);
  draw_with("6", other);
  draw_with("5", again);
  CHECK(memcmp(first, again, sizeof(first)) == 0);
  CHECK(memcmp(first, other, sizeof(first)) != 0);
}

// Threads that write down the order in which they pass points.
enum { THREADS = 3, PASSES = 40, SEEDS = 12 };
static atomic_int begun;
static char order[THREADS * PASSES];
static atomic_int written;

static void *pass(void *name) {
  // They begin one after the other, so that they draw in the same order.
  while (atomic_load(&begun) < *(const char *)name - 'a')
    usleep(100);
  (void)agpu__schedule_random();
  atomic_fetch_add(&begun, 1);
  while (atomic_load(&begun) < THREADS)
    usleep(100);
  for (int i = 0; i < PASSES; ++i) {
    agpu__pass(AGPU__POINT_RUN);
    order[atomic_fetch_add(&written, 1)] = *(const char *)name;
    // The others could go on meanwhile.
    usleep(10);
  }
  return NULL;
}

/// How often another thread passes a point than the one before.
static int count_switches(const char *seed) {
  static const char names[] = "abc";
  read_seed(seed);
  atomic_store(&begun, 0);
  atomic_store(&written, 0);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, pass, (void *)&names[i]) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  int switches = 0;
  for (int i = 1; i < THREADS * PASSES; ++i)
    switches += order[i] != order[i - 1];
  return switches;
}

static void test_threads_take_turns(void) {
  // Seeds that are a multiple of three have turns and no pauses. A thread goes
  // on until its priority changes, whoever else could.
  int few = 0, lasts = 0;
  for (int i = 0; i < SEEDS; ++i) {
    char seed[8];
    snprintf(seed, sizeof(seed), "%d", 3 * i);
    few += count_switches(seed) < THREADS * PASSES / 4;
    lasts |= 1 << (order[THREADS * PASSES - 1] - 'a');
  }
  CHECK(few > SEEDS / 2);
  CHECK(lasts != 1 && lasts != 2 && lasts != 4);
}

static void *wait_for_end(void *end) {
  agpu__pass(AGPU__POINT_RUN);
  while (!atomic_load((atomic_bool *)end))
    usleep(1000);
  return NULL;
}

static void test_a_thread_that_is_away_holds_up_no_other(void) {
  for (int i = 0; i < SEEDS; ++i) {
    char seed[8];
    snprintf(seed, sizeof(seed), "%d", i);
    read_seed(seed);
    atomic_bool end = false;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_for_end, &end) == 0);
    for (int j = 0; j < 100; ++j)
      agpu__pass(AGPU__POINT_RUN);
    atomic_store(&end, true);
    CHECK(pthread_join(thread, NULL) == 0);
  }
}

int main(void) {
  test_without_a_seed_nothing_strays();
  test_malformed_seeds_are_errors();
  test_a_seed_draws_the_same_again();
  test_threads_take_turns();
  test_a_thread_that_is_away_holds_up_no_other();
  return 0;
}
