//===- clocks.c - Clocks of ranks that are known, and found again ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages at times of one clock, written down by clocks that are off by known
// amounts: what is found has to be these, to within the error that is stated.
//
//===----------------------------------------------------------------------===//

#include "trace/clocks.h"
#include "check.h"

enum { MOST = 8 };

static const int64_t second = 1000000000, microsecond = 1000;

static agpu__trace_array bounds;
static agpu__clock clocks[MOST], truth[MOST];

/// What the rank's clock says at `time`, which is its `reference` at first.
static int64_t tell(size_t rank, int64_t time) {
  return time + truth[rank].offset +
         (int64_t)(truth[rank].drift * (double)time);
}

/// A message that takes `length`.
static void add_bound(uint32_t from, uint32_t to, int64_t begin,
                      int64_t length) {
  agpu__clock_bound *added = agpu__trace_array_add(&bounds, sizeof *added);
  CHECK(added);
  *added = (agpu__clock_bound){from, to, tell(from, begin),
                               tell(to, begin + length)};
}

static void reset(void) {
  agpu__trace_array_free(&bounds, sizeof(agpu__clock_bound));
  memset(clocks, 0, sizeof clocks);
  memset(truth, 0, sizeof truth);
}

static agpu__clocks_found align(size_t count) {
  agpu__clocks_found found;
  for (size_t i = 0; i < count; ++i)
    clocks[i].reference = tell(i, 0);
  CHECK(agpu__clocks_align(clocks, count, &bounds, &found));
  return found;
}

/// How far the corrected clock is off at `time`.
static int64_t get_wrong(size_t rank, int64_t time) {
  int64_t wrong = agpu__clock_correct(&clocks[rank], tell(rank, time)) - time;
  return wrong < 0 ? -wrong : wrong;
}

/// Two ranks, lengths that differ in both directions.
static void test_pair(void) {
  reset();
  truth[1].offset = -7 * second;
  for (int i = 0; i < 50; ++i) {
    add_bound(0, 1, i * 10000, 30 * microsecond + i % 7 * 1000);
    add_bound(1, 0, i * 10000 + 5000, 20 * microsecond + i % 5 * 1000);
  }
  agpu__clocks_found found = align(2);
  CHECK_EQ(found.contradictions, 0);
  // The middle of -20 and 30 us, and half of the width.
  CHECK_EQ(clocks[1].offset, -7 * second + 5 * microsecond);
  CHECK_EQ(clocks[1].error, 25 * microsecond + 1);
  CHECK(clocks[1].drift == 0);
  CHECK(get_wrong(1, 0) <= clocks[1].error);
  CHECK_EQ(clocks[0].offset, 0);
  CHECK_EQ(clocks[0].error, 0);
}

/// Rank 2 exchanges nothing with rank 0: the way is over rank 1. Another way
/// from 0 to 2 is longer, and says nothing new.
static void test_chain(void) {
  reset();
  truth[1].offset = 3 * second;
  truth[2].offset = -5 * second;
  add_bound(0, 1, 0, 10 * microsecond);
  add_bound(1, 0, 20000, 10 * microsecond);
  add_bound(1, 2, 40000, 8 * microsecond);
  add_bound(2, 1, 60000, 4 * microsecond);
  add_bound(0, 2, 80000, 500 * microsecond);
  agpu__clocks_found found = align(3);
  CHECK_EQ(found.contradictions, 0);
  CHECK_EQ(clocks[1].offset, 3 * second);
  CHECK_EQ(clocks[2].offset, -5 * second + 2 * microsecond);
  CHECK_EQ(clocks[2].error, 16 * microsecond + 1);
}

/// Messages in one direction alone bound one side.
static void test_one_way(void) {
  reset();
  truth[1].offset = 2 * second;
  add_bound(0, 1, 0, 40 * microsecond);
  agpu__clocks_found found = align(2);
  CHECK_EQ(clocks[1].error, -1);
  CHECK_EQ(found.contradictions, 0);
  CHECK(get_wrong(1, 0) <= 40 * microsecond);
}

/// A clock that is faster: constant offsets contradict each other.
static void test_drift(void) {
  reset();
  truth[1].offset = 9 * second;
  truth[1].drift = 120e-6;
  truth[2].offset = -1 * second;
  truth[2].drift = -40e-6;
  for (int64_t i = 0; i < 4000; ++i)
    for (uint32_t rank = 1; rank < 3; ++rank) {
      add_bound(0, rank, i * 1000000, 12 * microsecond + i * 37 % 19 * 1000);
      add_bound(rank, 0, i * 1000000 + 500000,
                10 * microsecond + i * 53 % 23 * 1000);
    }
  agpu__clocks_found found = align(3);
  CHECK_EQ(found.contradictions, 0);
  for (size_t rank = 1; rank < 3; ++rank) {
    double wrong = clocks[rank].drift - truth[rank].drift;
    CHECK(wrong < 1e-6 && wrong > -1e-6);
    CHECK(clocks[rank].error > 0 && clocks[rank].error < 15 * microsecond);
    for (int64_t time = 0; time <= 4 * second; time += second / 4)
      CHECK(get_wrong(rank, time) < 15 * microsecond);
  }
}

/// Of a run that is too short for it, no drift is made up.
static void test_no_drift(void) {
  reset();
  truth[1].offset = second;
  for (int64_t i = 0; i < 100; ++i) {
    add_bound(0, 1, i * 100000, 12 * microsecond + i * 37 % 19 * 1000);
    add_bound(1, 0, i * 100000 + 50000, 10 * microsecond + i * 53 % 23 * 1000);
  }
  align(2);
  CHECK(clocks[1].drift == 0);
}

/// Ranks of a machine have one clock: the bounds between them are worth
/// nothing, and those of one are the other's too.
static void test_names(void) {
  reset();
  clocks[0].name = "a";
  clocks[1].name = "a";
  clocks[2].name = "b";
  clocks[3].name = "b";
  truth[2].offset = truth[3].offset = 4 * second;
  add_bound(0, 1, 0, 90 * microsecond);
  add_bound(1, 0, 0, 10 * microsecond);
  add_bound(1, 2, 10000, 10 * microsecond);
  add_bound(3, 0, 20000, 10 * microsecond);
  agpu__clocks_found found = align(4);
  CHECK_EQ(found.contradictions, 0);
  CHECK_EQ(clocks[1].offset, 0);
  CHECK_EQ(clocks[1].error, 0);
  for (size_t i = 2; i < 4; ++i) {
    CHECK_EQ(clocks[i].offset, 4 * second);
    CHECK_EQ(clocks[i].error, 10 * microsecond + 1);
    CHECK_EQ(agpu__clock_correct(&clocks[i], tell(i, 12345)), 12345);
  }
}

/// The name says one clock, and a message says that it is not.
static void test_wrong_names(void) {
  reset();
  clocks[0].name = clocks[1].name = "a";
  truth[1].offset = -2 * second;
  add_bound(0, 1, 0, 10 * microsecond);
  add_bound(1, 0, 20000, 10 * microsecond);
  agpu__clocks_found found = align(2);
  CHECK_EQ(found.contradictions, 0);
  CHECK_EQ(clocks[1].offset, -2 * second);
}

/// A clock that was set in the middle: no line fits, which is said.
static void test_jump(void) {
  reset();
  for (int64_t i = 0; i < 100; ++i) {
    truth[1].offset = i < 50 ? 0 : 500 * microsecond;
    add_bound(0, 1, i * 1000000, 10 * microsecond);
    add_bound(1, 0, i * 1000000 + 500000, 10 * microsecond);
  }
  truth[1].offset = 0;
  agpu__clocks_found found = align(2);
  CHECK(found.contradictions > 0);
  CHECK(found.worst > 50 * microsecond && found.worst < 500 * microsecond);
}

static void test_nothing(void) {
  reset();
  agpu__clocks_found found = align(1);
  CHECK_EQ(found.contradictions, 0);
  found = align(3);
  CHECK_EQ(clocks[2].error, -1);
  CHECK_EQ(clocks[2].offset, 0);
}

int main(void) {
  test_pair();
  test_chain();
  test_one_way();
  test_drift();
  test_no_drift();
  test_names();
  test_wrong_names();
  test_jump();
  test_nothing();
  reset();
  return 0;
}
