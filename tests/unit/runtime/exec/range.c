//===- range.c - Each number of a range is taken once -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/loop/range.h"
#include "check.h"

#include <pthread.h>

static void test_halves_from_both_ends(void) {
  agpu__range range;
  agpu__range_set(&range, 10, 20);
  agpu__piece piece;
  static const struct {
    bool front;
    uint32_t begin, end;
  } takes[] = {
      {true, 10, 15},  // 5 of 10
      {false, 17, 20}, // 3 of 15 .. 20
      {true, 15, 16},  // 1 of 2
      {false, 16, 17}, // the last one
  };
  for (size_t i = 0; i < sizeof(takes) / sizeof(*takes); ++i) {
    CHECK(agpu__range_take(&range, takes[i].front, &piece));
    CHECK_EQ(piece.begin, takes[i].begin);
    CHECK_EQ(piece.end, takes[i].end);
  }
  CHECK(!agpu__range_take(&range, true, &piece));
  CHECK(!agpu__range_take(&range, false, &piece));
}

static void test_nothing_in_an_empty_range(void) {
  agpu__range range;
  agpu__piece piece;
  agpu__range_set(&range, 7, 7);
  CHECK(!agpu__range_take(&range, true, &piece));
}

static void test_the_largest_range(void) {
  agpu__range range;
  agpu__range_set(&range, 0, UINT32_MAX);
  agpu__piece piece;
  uint64_t taken = 0;
  for (bool front = true; agpu__range_take(&range, front, &piece);
       front = !front)
    taken += piece.end - piece.begin;
  CHECK(taken == UINT32_MAX);
}

#define NUMBERS 1000
#define ROUNDS 500
#define THREADS 3

static agpu__range shared;
static _Atomic(int) times_taken[NUMBERS];
static pthread_barrier_t barrier;

/// The first thread takes from the front, the others from the back.
static void *take_all(void *handle) {
  bool owner = *(int *)handle == 0;
  for (int round = 0; round < ROUNDS; ++round) {
    if (owner)
      agpu__range_set(&shared, 0, NUMBERS);
    pthread_barrier_wait(&barrier);
    agpu__piece piece;
    while (agpu__range_take(&shared, owner, &piece))
      for (uint32_t i = piece.begin; i < piece.end; ++i)
        atomic_fetch_add(&times_taken[i], 1);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

static void test_threads_share_a_range(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    CHECK_EQ(pthread_create(&threads[i], NULL, take_all, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < NUMBERS; ++i)
    CHECK_EQ(times_taken[i], ROUNDS);
}

int main(void) {
  test_halves_from_both_ends();
  test_nothing_in_an_empty_range();
  test_the_largest_range();
  test_threads_share_a_range();
  return 0;
}
