//===- reports.h - What each rank waits for -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_REPORTS_H
#define ASYNC_GPU_RUNTIME_MPI_REPORTS_H

#include "mpi/request.h"

enum {
  AGPU__MPI_MOST_WAITS = 1024,
  AGPU__MPI_SHOWN_WAITS = 8,
  AGPU__MPI_SHOWN_RANKS = 64,
  AGPU__MPI_WAIT_TEXT_BYTES = 240,
  AGPU__MPI_LOCALS_BYTES = 1024
};

/// What a request waits for, as other ranks have to know it.
typedef struct agpu__mpi_wait {
  enum {
    AGPU__MPI_SENDS,
    AGPU__MPI_RECEIVES,
    AGPU__MPI_COLLECTIVE,
    AGPU__MPI_FINALIZES
  } kind;
  int32_t peer;    ///< a rank of the world, or none
  int32_t tag;     ///< of what all ranks are in, a number of its name
  int32_t members; ///< ranks of its communicator
  uint64_t comm;   ///< agpu__mpi_comm_id
} agpu__mpi_wait;

/// What a rank tells rank 0: the same bytes on all ranks.
typedef struct agpu__mpi_report {
  int32_t count; ///< of waits; those beyond the arrays are not in them
  agpu__mpi_wait waits[AGPU__MPI_MOST_WAITS];
  char texts[AGPU__MPI_SHOWN_WAITS][AGPU__MPI_WAIT_TEXT_BYTES];
} agpu__mpi_report;

/// What threads and regions of a rank wait for beside messages: lines as
/// agpu__standstill_list writes them.
typedef char agpu__mpi_locals[AGPU__MPI_LOCALS_BYTES];

/// Where a request is told of: a communicator's identity, how many ranks it
/// has, and which rank of the world the request's peer is.
typedef struct agpu__mpi_place {
  uint64_t comm;
  int32_t members, peer;
} agpu__mpi_place;

/// Adds what `request` of rank `rank` waits for.
void agpu__mpi_report_add(agpu__mpi_report *report, int rank,
                          const agpu__mpi_request *request,
                          agpu__mpi_place place);

/// Whether a message may be on its way between `size` ranks that wait for
/// these: a send and a receive that fit, or a collective operation that all of
/// its ranks are in. Where a report does not tell, it may.
bool agpu__mpi_reports_may_go_on(const agpu__mpi_report *reports, int size);

/// The error of a program whose ranks wait for each other, with the waits of
/// the first AGPU__MPI_SHOWN_RANKS, of which there are `locals`, at the place
/// of the first. The caller's.
agpu_status agpu__mpi_reports_describe(const agpu__mpi_report *reports,
                                       agpu__mpi_locals *locals, int size);

#endif // ASYNC_GPU_RUNTIME_MPI_REPORTS_H
