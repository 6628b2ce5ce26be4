//===- reports.c - What each rank waits for -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether ranks that all wait will ever go on. Nothing here calls the library.
//
// Communicators and peers have numbers here that are the same on all ranks: an
// identity, and the rank in the world.
//
//===----------------------------------------------------------------------===//

#include "mpi/deadlock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The same on all ranks: FNV-1a.
static int32_t number_of(const char *name) {
  uint32_t number = 2166136261u;
  for (; *name; ++name)
    number = (number ^ (unsigned char)*name) * 16777619u;
  return (int32_t)number;
}

void agpu__mpi_report_add(agpu__mpi_report *report, int rank,
                          const agpu__mpi_request *request,
                          agpu__mpi_place place) {
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
    report->waits[report->count] = (agpu__mpi_wait){
        .kind = operation->is_last      ? AGPU__MPI_FINALIZES
                : !operation->has_peer  ? AGPU__MPI_COLLECTIVE
                : operation->is_receive ? AGPU__MPI_RECEIVES
                                        : AGPU__MPI_SENDS,
        .peer = place.peer,
        .tag = operation->has_peer ? request->tag : number_of(operation->name),
        .members = place.members,
        .comm = place.comm};
  ++report->count;
}

/// `send` is of rank `from` of the world, and goes to the one that receives.
static bool fits(const agpu__mpi_wait *send, int from,
                 const agpu__mpi_wait *receive) {
  if (receive->kind != AGPU__MPI_RECEIVES || receive->comm != send->comm)
    return false;
  if (receive->tag != send->tag && receive->tag >= 0)
    return false;
  return receive->peer == from || receive->peer == AGPU_MPI_ANY_SOURCE;
}

static bool may_arrive(const agpu__mpi_report *reports, int size,
                       const agpu__mpi_wait *send, int from) {
  if (send->peer < 0 || send->peer >= size) // none
    return false;
  const agpu__mpi_report *to = &reports[send->peer];
  for (int i = 0; i < to->count; ++i)
    if (fits(send, from, &to->waits[i]))
      return true;
  return false;
}

static bool is_in(const agpu__mpi_report *report, const agpu__mpi_wait *wait) {
  for (int i = 0; i < report->count; ++i)
    if (report->waits[i].kind == wait->kind &&
        report->waits[i].tag == wait->tag &&
        report->waits[i].comm == wait->comm)
      return true;
  return false;
}

/// Whether all ranks of its communicator are in an operation like this one.
static bool are_all_in(const agpu__mpi_report *reports, int size,
                       const agpu__mpi_wait *wait) {
  int ranks = 0;
  for (int rank = 0; rank < size; ++rank)
    ranks += is_in(&reports[rank], wait);
  return ranks >= wait->members;
}

bool agpu__mpi_reports_may_go_on(const agpu__mpi_report *reports, int size) {
  for (int rank = 0; rank < size; ++rank)
    if (reports[rank].count > AGPU__MPI_MOST_WAITS)
      return true;
  for (int rank = 0; rank < size; ++rank)
    for (int i = 0; i < reports[rank].count; ++i) {
      const agpu__mpi_wait *wait = &reports[rank].waits[i];
      if (wait->kind == AGPU__MPI_SENDS ? may_arrive(reports, size, wait, rank)
                                        : wait->kind != AGPU__MPI_RECEIVES &&
                                              are_all_in(reports, size, wait))
        return true;
    }
  return false;
}

static void print(FILE *text, const agpu__mpi_report *reports,
                  agpu__mpi_locals *locals, int size) {
  (void)fprintf(text,
                "the program cannot go on: all ranks wait (%d), and none of "
                "them has sent what another one waits for",
                size);
  for (int rank = 0; rank < size && rank < AGPU__MPI_SHOWN_RANKS; ++rank) {
    const agpu__mpi_report *of = &reports[rank];
    for (int i = 0; i < of->count && i < AGPU__MPI_SHOWN_WAITS; ++i)
      (void)fprintf(text, "\n%s", of->texts[i]);
    if (of->count > AGPU__MPI_SHOWN_WAITS)
      (void)fprintf(text, "\nnote: rank %d: and %d more", rank,
                    (int)of->count - AGPU__MPI_SHOWN_WAITS);
    (void)fputs(locals[rank], text);
  }
}

agpu_status agpu__mpi_reports_describe(const agpu__mpi_report *reports,
                                       agpu__mpi_locals *locals, int size) {
  char *message = NULL, *location = NULL;
  size_t bytes = 0;
  FILE *text = open_memstream(&message, &bytes);
  if (text) {
    print(text, reports, locals, size);
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
