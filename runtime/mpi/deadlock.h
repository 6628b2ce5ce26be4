//===- deadlock.h - Ranks that wait for each other ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_DEADLOCK_H
#define ASYNC_GPU_RUNTIME_MPI_DEADLOCK_H

#include "mpi/internal.h"

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

//===----------------------------------------------------------------------===//
// Ranks that wait for each other
//===----------------------------------------------------------------------===//

/// What a rank waits for.
typedef struct agpu__mpi_waits {
  agpu__mpi_request *const *requests;
  int count;
  const agpu__mpi_request *finalize; ///< or NULL
  /// Calls `visit` for each call of the library that blocks a thread of its
  /// own.
  void (*visit_calls)(void (*visit)(const agpu__mpi_request *request,
                                    void *argument),
                      void *argument);
} agpu__mpi_waits;

/// Makes the communicators of its own; all ranks do so together. The library's
/// code.
int agpu__mpi_deadlock_init(void);

/// All threads of this process wait for messages: `rises` is a number that
/// differs where one of them has run since the last call. Any thread.
void agpu__mpi_deadlock_note(uint64_t rises);

// The following are the progress thread's.

/// Goes on with what ranks tell each other. True while it has something to test
/// for. Ends the program if all ranks wait for what none has sent.
bool agpu__mpi_deadlock_step(agpu__mpi_waits *waits);

/// Once all requests of this rank have ended: true when all other ranks have
/// come here too, and nothing that they tell each other is under way. Until
/// then it is called again, with steps in between.
bool agpu__mpi_deadlock_finish(void);

#endif // ASYNC_GPU_RUNTIME_MPI_DEADLOCK_H
