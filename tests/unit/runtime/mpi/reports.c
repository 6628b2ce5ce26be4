//===- reports.c - Which waits of ranks are a deadlock -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mpi/deadlock.h"

#include "check.h"

#include <string.h>

enum { RANKS = 4 };

static const agpu__mpi_operation send = {.name = "mpi.send", .has_peer = true};
static const agpu__mpi_operation receive = {
    .name = "mpi.recv", .has_peer = true, .is_receive = true};
static const agpu__mpi_operation barrier = {.name = "mpi.barrier"};
static const agpu__mpi_operation allreduce = {.name = "mpi.allreduce"};
static const agpu__mpi_operation finalize = {.name = "mpi.finalize",
                                             .is_last = true};

static agpu__mpi_report reports[RANKS];

static void clear(void) { memset(reports, 0, sizeof reports); }

static agpu__mpi_locals locals[RANKS];

/// In communicator `comm` of `members` ranks; `peer` is one of the world.
static void add_in(uint64_t comm, int members, int rank,
                   const agpu__mpi_operation *operation, int peer, int tag) {
  agpu__mpi_request request = {.operation = operation,
                               .location = rank == 2 ? NULL : "a.mlir:7:3",
                               .peer = peer,
                               .tag = tag};
  request.from.count = 4;
  request.from.value_bytes = 8;
  agpu__mpi_report_add(&reports[rank], rank, &request,
                       (agpu__mpi_place){comm, members, peer});
}

static void add(int rank, const agpu__mpi_operation *operation, int peer,
                int tag) {
  add_in(0, RANKS, rank, operation, peer, tag);
}

static bool may_go_on(void) {
  return agpu__mpi_reports_may_go_on(reports, RANKS);
}

/// A send of rank 0, and what rank 1 waits for beside it.
static bool is_fit(int to, int sent_tag, int at, int from, int tag) {
  clear();
  add(0, &send, to, sent_tag);
  add(at, &receive, from, tag);
  return may_go_on();
}

static void messages_fit_by_peer_and_tag(void) {
  CHECK(is_fit(1, 7, 1, 0, 7));
  CHECK(is_fit(1, 7, 1, AGPU_MPI_ANY_SOURCE, 7));
  CHECK(is_fit(1, 7, 1, 0, AGPU_MPI_ANY_TAG));
  CHECK(is_fit(1, 7, 1, 0, -1));
  CHECK(is_fit(0, 7, 0, 0, 7));
  CHECK(!is_fit(1, 7, 1, 0, 8));
  CHECK(!is_fit(1, 7, 1, 2, 7));
  CHECK(!is_fit(1, 7, 2, 0, 7));
  CHECK(!is_fit(1, 7, 2, AGPU_MPI_ANY_SOURCE, AGPU_MPI_ANY_TAG));
  CHECK(!is_fit(RANKS, 7, 1, 0, 7));
  CHECK(!is_fit(AGPU_MPI_PROC_NULL, 7, 1, 0, 7));
}

static void receives_alone_are_a_deadlock(void) {
  clear();
  CHECK(!may_go_on());
  for (int rank = 0; rank < RANKS; ++rank)
    add(rank, &receive, (rank + 1) % RANKS, 0);
  CHECK(!may_go_on());
  // One of many that fits is enough.
  add(3, &send, 2, 1);
  CHECK(!may_go_on());
  add(3, &send, 2, 0);
  CHECK(may_go_on());
}

static void sends_that_wait_for_each_other_are_one(void) {
  clear();
  for (int rank = 0; rank < RANKS; ++rank)
    add(rank, &send, (rank + 1) % RANKS, 0);
  CHECK(!may_go_on());
}

static void operations_of_all_take_all(void) {
  clear();
  for (int rank = 0; rank < RANKS - 1; ++rank)
    add(rank, &barrier, 0, 0);
  // Twice on one rank is not once on each.
  add(0, &barrier, 0, 0);
  add(RANKS - 1, &finalize, 0, 0);
  CHECK(!may_go_on());
  add(RANKS - 1, &barrier, 0, 0);
  CHECK(may_go_on());
  // Another one on one rank is not the same.
  clear();
  for (int rank = 0; rank < RANKS; ++rank)
    add(rank, rank == 1 ? &allreduce : &barrier, 0, 0);
  CHECK(!may_go_on());
  clear();
  for (int rank = 0; rank < RANKS; ++rank) {
    CHECK(!may_go_on());
    add(rank, &finalize, 0, 0);
  }
  CHECK(may_go_on());
}

static void messages_stay_in_their_communicator(void) {
  clear();
  add_in(9, 2, 2, &send, 3, 5);
  CHECK(!may_go_on());
  add_in(9, 2, 3, &receive, 2, 6);
  add_in(8, 2, 3, &receive, 2, 5);
  add(3, &receive, 2, 5);
  add_in(9, 2, 1, &receive, 2, 5);
  CHECK(!may_go_on());
  add_in(9, 2, 3, &receive, 2, 5);
  CHECK(may_go_on());
}

static void communicators_of_equal_size_are_two(void) {
  clear();
  add_in(8, 2, 0, &barrier, 0, 0);
  add_in(9, 2, 2, &barrier, 0, 0);
  add(1, &barrier, 0, 0);
  CHECK(!may_go_on());
  add_in(9, 2, 3, &barrier, 0, 0);
  CHECK(may_go_on());
}

static void too_many_to_tell_may_go_on(void) {
  clear();
  for (int i = 0; i < AGPU__MPI_MOST_WAITS; ++i)
    add(1, &receive, 0, i);
  CHECK(!may_go_on());
  add(1, &receive, 0, 0);
  CHECK(may_go_on());
}

static void reports_name_waits(void) {
  clear();
  add(0, &receive, AGPU_MPI_ANY_SOURCE, 7);
  add(1, &send, 0, 3);
  add(2, &receive, 1, AGPU_MPI_ANY_TAG);
  for (int i = 0; i < AGPU__MPI_SHOWN_WAITS + 2; ++i)
    add(3, &barrier, 0, 0);
  strcpy(locals[1], "\na.mlir:9:3: note: rank 1: a thread waits for token 4");
  agpu_status status = agpu__mpi_reports_describe(reports, locals, RANKS);
  CHECK_EQ(agpu_status_get_code(status), AGPU_STATUS_PROGRAM);
  CHECK_STR(agpu_status_get_location(status), "a.mlir:7:3");
  const char *shown = "\na.mlir:7:3: note: rank 3 waits in mpi.barrier";
  char text[2000] =
      "the program cannot go on: all ranks wait (4), and none of them has sent "
      "what another one waits for"
      "\na.mlir:7:3: note: rank 0 waits in mpi.recv of 32 bytes from any rank, "
      "tag 7"
      "\na.mlir:7:3: note: rank 1 waits in mpi.send of 32 bytes to rank 0, "
      "tag 3"
      "\na.mlir:9:3: note: rank 1: a thread waits for token 4"
      "\nnote: rank 2 waits in mpi.recv of 32 bytes from rank 1, any tag";
  for (int i = 0; i < AGPU__MPI_SHOWN_WAITS; ++i)
    strcat(text, shown);
  strcat(text, "\nnote: rank 3: and 2 more");
  CHECK_STR(agpu_status_get_message(status), text);
  agpu_status_release(status);
}

int main(void) {
  messages_fit_by_peer_and_tag();
  receives_alone_are_a_deadlock();
  sends_that_wait_for_each_other_are_one();
  operations_of_all_take_all();
  messages_stay_in_their_communicator();
  communicators_of_equal_size_are_two();
  too_many_to_tell_may_go_on();
  reports_name_waits();
  return 0;
}
