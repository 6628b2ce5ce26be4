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

/// After one in vain, tests are of all until one has ended. In between none is
/// of the oldest alone, in which the library would yield although another one
/// has come.
static void all_are_tested_until_one_has_ended(void) {
  begin(REQUESTS);
  for (int i = 0; i < 4; ++i)
    CHECK(!agpu__mpi_running_test());
  CHECK_EQ(tests, 1);
  CHECK_EQ(tests_of_all, 3);
  CHECK_EQ(tested, 1);
  // The newest has come: one test finds it.
  has_come[2] = true;
  CHECK(agpu__mpi_running_test() == requests[2]);
  CHECK(!requests[2]->next);
  // Then the two others, the older one first.
  has_come[0] = has_come[1] = true;
  CHECK(agpu__mpi_running_test() == requests[0]);
  CHECK(!requests[0]->next);
  CHECK_EQ(tests, 2);
  CHECK_EQ(tests_of_all, 4);
  CHECK(agpu__mpi_running_test() == requests[1]);
  CHECK(!agpu__mpi_running_test());
}

/// Those that go at the front leave room for those that come behind.
static void many_come_and_go(void) {
  begin(REQUESTS);
  memset(has_come, true, sizeof has_come);
  for (int i = 0; i < 1000; ++i) {
    agpu__mpi_request *oldest = requests[i % REQUESTS];
    CHECK(agpu__mpi_running_test() == oldest);
    if (i < 1000 - REQUESTS)
      agpu__mpi_running_add(oldest);
  }
  CHECK(!agpu__mpi_running_test());
}

int main(void) {
  world->library = (agpu__mpi_library){.testsome = testsome, .test = test};
  one_is_tested_alone();
  all_are_tested_until_one_has_ended();
  many_come_and_go();
  agpu__mpi_running_free();
  return 0;
}
