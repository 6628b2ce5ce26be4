//===- reduce.c - Loops with a result on all threads ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "exec/loop/parallel.h"

#include "check.h"

#include <stdalign.h>

/// Iterations that lie side by side; nothing else can be combined.
typedef struct span {
  int64_t begin, end, pieces;
} span;

static void make_span(void *context, int64_t begin, int64_t end,
                      void *out_partial) {
  CHECK_EQ(*(int64_t *)context, 42);
  CHECK(begin < end);
  *(span *)out_partial = (span){begin, end, 1};
}

static void join_spans(void *context, void *into, const void *partial) {
  CHECK_EQ(*(int64_t *)context, 42);
  span *left = into;
  const span *right = partial;
  CHECK_EQ(left->end, right->begin);
  left->end = right->end;
  left->pieces += right->pieces;
}

static span run_spans(int64_t count, int64_t grain) {
  int64_t context = 42;
  span all = {0, 0, 0};
  agpu__exec_parallel_reduce(count, grain, make_span, join_spans, &context,
                             &all, sizeof(all));
  return all;
}

static void test_all_iterations_in_order(void) {
  static const int64_t counts[] = {1,    2,    3,      1023,
                                   1024, 1025, 100003, INT64_MAX};
  static const int64_t grains[] = {0, 1, 7, 64, 1000000};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    for (size_t k = 0; k < sizeof(grains) / sizeof(*grains); ++k) {
      span all = run_spans(counts[i], grains[k]);
      CHECK_EQ(all.begin, 0);
      CHECK_EQ(all.end, counts[i]);
    }
}

static void test_pieces_do_not_depend_on_threads(void) {
  CHECK_EQ(run_spans(199, 100).pieces, 1);
  CHECK_EQ(run_spans(200, 100).pieces, 2);
  CHECK_EQ(run_spans(1000, 100).pieces, 10);
  CHECK_EQ(run_spans(1024, 1).pieces, 1024);
  // Two iterations each.
  CHECK_EQ(run_spans(2048, 1).pieces, 1024);
  CHECK_EQ(run_spans(2047, 1).pieces, 1024);
  CHECK_EQ(run_spans(INT64_MAX, 1).pieces, 1024);
}

static void test_no_iteration_keeps_the_first_value(void) {
  static const int64_t counts[] = {0, -1, INT64_MIN};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    int64_t context = 42;
    span all = {-7, 13, 5};
    agpu__exec_parallel_reduce(counts[i], 1, make_span, join_spans, &context,
                               &all, sizeof(all));
    CHECK_EQ(all.begin, -7);
    CHECK_EQ(all.end, 13);
    CHECK_EQ(all.pieces, 5);
  }
}

/// Partial results that must be aligned, as a vector is.
typedef struct aligned {
  alignas(256) int64_t sum;
} aligned;

static void make_aligned(void *context, int64_t begin, int64_t end,
                         void *out_partial) {
  (void)context;
  CHECK_EQ((uintptr_t)out_partial % alignof(aligned), 0);
  ((aligned *)out_partial)->sum = end - begin;
}

static void add_aligned(void *context, void *into, const void *partial) {
  (void)context;
  ((aligned *)into)->sum += ((const aligned *)partial)->sum;
}

static void test_partial_results_are_aligned(void) {
  aligned total = {.sum = 1};
  agpu__exec_parallel_reduce(500, 1, make_aligned, add_aligned, NULL, &total,
                             sizeof(total));
  CHECK_EQ(total.sum, 501);
}

/// Partial results of one byte, which lie next to each other.
static void make_parity(void *context, int64_t begin, int64_t end,
                        void *out_partial) {
  (void)context;
  *(uint8_t *)out_partial = (uint8_t)((end - begin) % 2);
}

static void add_parity(void *context, void *into, const void *partial) {
  (void)context;
  *(uint8_t *)into ^= *(const uint8_t *)partial;
}

static void test_small_results(void) {
  uint8_t parity = 0;
  agpu__exec_parallel_reduce(777, 1, make_parity, add_parity, NULL, &parity, 1);
  CHECK_EQ(parity, 1);
}

/// A loop with a result in each piece of another one: sum of i * 10 for i from
/// 0 to below 300.
static void make_inner(void *context, int64_t begin, int64_t end,
                       void *out_partial) {
  (void)context;
  aligned sum = {.sum = 0};
  for (int64_t i = begin; i < end; ++i) {
    aligned inner = {.sum = 0};
    agpu__exec_parallel_reduce(10, 1, make_aligned, add_aligned, NULL, &inner,
                               sizeof(inner));
    sum.sum += i * inner.sum;
  }
  *(aligned *)out_partial = sum;
}

static void test_nested_loops(void) {
  aligned sum = {.sum = 0};
  agpu__exec_parallel_reduce(300, 1, make_inner, add_aligned, NULL, &sum,
                             sizeof(sum));
  CHECK_EQ(sum.sum, 448500);
}

int main(void) {
  test_all_iterations_in_order();
  test_pieces_do_not_depend_on_threads();
  test_no_iteration_keeps_the_first_value();
  test_partial_results_are_aligned();
  test_small_results();
  test_nested_loops();
  return 0;
}
