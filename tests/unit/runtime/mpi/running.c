//===- running.c - Which requests are tested, and in which order ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mpi/running.h"

#include "check.h"

#include <string.h>

enum { REQUESTS = 3 };

static agpu__mpi_request first, second, third;
static agpu__mpi_request *const requests[REQUESTS] = {&first, &second, &third};
static bool has_come[REQUESTS];
static int tests, tests_of_all;
static agpu__mpi_handle tested; // alone, the last one

static agpu__mpi_world *const world = &agpu__the_mpi_world;

static bool test(agpu__mpi_handle *native, agpu__mpi_ended *out_end) {
  ++tests;
  tested = *native;
  if (!has_come[tested - 1])
    return false;
  *out_end = (agpu__mpi_ended){.bytes = 8};
  return true;
}

static int testsome(int count, const agpu__mpi_handle *natives, int *out_count,
                    int *indices, agpu__mpi_ended *ends) {
  ++tests_of_all;
  *out_count = 0;
  for (int i = 0; i < count; ++i)
    if (has_come[natives[i] - 1]) {
      indices[*out_count] = i;
      ends[(*out_count)++] = (agpu__mpi_ended){.bytes = 8};
    }
  return 0;
}

static void begin(int count) {
  memset(has_come, 0, sizeof has_come);
  tests = tests_of_all = 0;
  for (int i = 0; i < count; ++i) {
    *requests[i] = (agpu__mpi_request){.native = (agpu__mpi_handle)i + 1};
    agpu__mpi_running_add(requests[i]);
  }
}

/// A single one is never tested with others.
static void one_is_tested_alone(void) {
  begin(1);
  for (int i = 0; i < 3; ++i)
    CHECK(!agpu__mpi_running_test());
  has_come[0] = true;
  CHECK(agpu__mpi_running_test() == requests[0]);
  CHECK_EQ(requests[0]->end.bytes, 8);
  CHECK_EQ(tests, 4);
  CHECK_EQ(tests_of_all, 0);
  CHECK(!agpu__mpi_running_test());
}

/// The oldest of several has each other test, and all of them the rest.
static void the_oldest_is_tested_in_turns_with_all(void) {
  begin(REQUESTS);
  for (int i = 0; i < 4; ++i)
    CHECK(!agpu__mpi_running_test());
  CHECK_EQ(tests, 2);
  CHECK_EQ(tests_of_all, 2);
  CHECK_EQ(tested, 1);
  // The newest has come: two tests find it at the latest.
  has_come[2] = true;
  agpu__mpi_request *ended = agpu__mpi_running_test();
  if (!ended)
    ended = agpu__mpi_running_test();
  CHECK(ended == requests[2]);
  // Then the two others, the older one first.
  has_come[0] = has_come[1] = true;
  ended = agpu__mpi_running_test();
  CHECK(ended == requests[0]);
  if (!ended->next)
    ended->next = agpu__mpi_running_test();
  CHECK(ended->next == requests[1]);
  CHECK(!agpu__mpi_running_test());
}

int main(void) {
  world->library = (agpu__mpi_library){.testsome = testsome, .test = test};
  one_is_tested_alone();
  the_oldest_is_tested_in_turns_with_all();
  agpu__mpi_running_free();
  return 0;
}
