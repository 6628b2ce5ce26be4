//===- reports.c - What each rank waits for -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether ranks that all wait will ever go on. Nothing here calls the library.
//
// A peer is a rank of its communicator, and a communicator has no name that is
// the same on all ranks. So only of the world is it known which rank a message
// goes to; of any other communicator all that have as many ranks are taken for
// one, and a message in it for one of whichever rank waits in it with that tag.
//
//===----------------------------------------------------------------------===//

#include "mpi/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_RANKS 64

void agpu__mpi_report_add(agpu__mpi_report *report, int rank,
                          const agpu__mpi_request *request, int members) {
  const agpu__mpi_operation *operation = request->operation;
  if (report->count < AGPU__MPI_SHOWN_WAITS) {
    char what[160];
    agpu__mpi_request_describe(request, what, sizeof what);
    (void)snprintf(report->texts[report->count], AGPU__MPI_WAIT_TEXT_BYTES,
                   "%.100s%snote: rank %d waits in %s",
                   request->location ? request->location : "",
                   request->location ? ": " : "", rank, what);
  }
  if (report->count < AGPU__MPI_MOST_WAITS)
    report->waits[report->count] =
        (agpu__mpi_wait){.kind = operation->is_last      ? AGPU__MPI_FINALIZES
                                 : !operation->has_peer  ? AGPU__MPI_COLLECTIVE
                                 : operation->is_receive ? AGPU__MPI_RECEIVES
                                                         : AGPU__MPI_SENDS,
                         .peer = request->peer,
                         .tag = request->tag,
                         .members = members};
  ++report->count;
}

/// `send` is of rank `from` of the world, and goes to the one that receives.
static bool fits(const agpu__mpi_wait *send, int from,
                 const agpu__mpi_wait *receive) {
  if (receive->kind != AGPU__MPI_RECEIVES || receive->members != send->members)
    return false;
  if (receive->tag != send->tag && receive->tag >= 0)
    return false;
  return send->members || receive->peer == from ||
         receive->peer == AGPU_MPI_ANY_SOURCE;
}

static bool may_arrive(const agpu__mpi_report *reports, int size,
                       const agpu__mpi_wait *send, int from) {
  // Of the world it is one rank, if that: a peer may be none.
  int first = send->members ? 0 : send->peer;
  int last = send->members ? size - 1 : send->peer;
  if (first < 0 || last >= size)
    return false;
  for (int to = first; to <= last; ++to)
    for (int i = 0; i < reports[to].count; ++i)
      if (fits(send, from, &reports[to].waits[i]))
        return true;
  return false;
}

static bool is_in(const agpu__mpi_report *report, int members) {
  for (int i = 0; i < report->count; ++i)
    if (report->waits[i].kind == AGPU__MPI_COLLECTIVE &&
        report->waits[i].members == members)
      return true;
  return false;
}

/// Whether so many ranks as have to be are in an operation like this one.
static bool are_all_in(const agpu__mpi_report *reports, int size, int members) {
  int ranks = 0;
  for (int rank = 0; rank < size; ++rank)
    ranks += is_in(&reports[rank], members);
  return ranks >= (members ? members : size);
}

bool agpu__mpi_reports_may_go_on(const agpu__mpi_report *reports, int size) {
  for (int rank = 0; rank < size; ++rank)
    if (reports[rank].count > AGPU__MPI_MOST_WAITS)
      return true;
  for (int rank = 0; rank < size; ++rank)
    for (int i = 0; i < reports[rank].count; ++i) {
      const agpu__mpi_wait *wait = &reports[rank].waits[i];
      if (wait->kind == AGPU__MPI_SENDS
              ? may_arrive(reports, size, wait, rank)
              : wait->kind == AGPU__MPI_COLLECTIVE &&
                    are_all_in(reports, size, wait->members))
        return true;
    }
  return false;
}

static void print(FILE *text, const agpu__mpi_report *reports, int size) {
  (void)fprintf(text,
                "the program cannot go on: all ranks wait (%d), and none of "
                "them has sent what another one waits for",
                size);
  for (int rank = 0; rank < size && rank < SHOWN_RANKS; ++rank) {
    const agpu__mpi_report *of = &reports[rank];
    for (int i = 0; i < of->count && i < AGPU__MPI_SHOWN_WAITS; ++i)
      (void)fprintf(text, "\n%s", of->texts[i]);
    if (of->count > AGPU__MPI_SHOWN_WAITS)
      (void)fprintf(text, "\nnote: rank %d: and %d more", rank,
                    (int)of->count - AGPU__MPI_SHOWN_WAITS);
  }
}

agpu_status agpu__mpi_reports_describe(const agpu__mpi_report *reports,
                                       int size) {
  char *message = NULL, *location = NULL;
  size_t bytes = 0;
  FILE *text = open_memstream(&message, &bytes);
  if (text) {
    print(text, reports, size);
    (void)fclose(text);
  }
  const char *colon = strstr(reports[0].texts[0], ": note:");
  if (colon)
    location =
        strndup(reports[0].texts[0], (size_t)(colon - reports[0].texts[0]));
  agpu_status status =
      agpu_status_create(AGPU_STATUS_PROGRAM, location, "%s",
                         message ? message : "all ranks wait for each other");
  free(location);
  free(message);
  return status;
}
