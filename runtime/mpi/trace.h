//===- trace.h - Requests in a trace ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message or a collective operation is two events of shape MESSAGE
// (base/trace/kinds.h), on the track of its communicator:
//
//             SEND, RECEIVE, COLLECTIVE        MESSAGE_END
//   time      its call of the library          the runtime knows of its end
//   id        counts requests of the process, in the order of the calls
//   name      the operation's                  -
//   flow      its number in its channel        the same
//   args[0]   the place in the program         source or peer << 32 | tag
//   args[1]   peer << 32 | tag                 bytes
//   args[2]   of COLLECTIVE: 1 if no rank's    the library's code; 0: no error
//             end is before any rank's begin
//
// Where another thread makes the call, or this one does so later, MESSAGE_HAND
// comes before, with the same id, from the thread that asks for it.
//
// A channel is what keeps messages in order: communicator, peer and tag, of
// sends and of receives, or the collective operations of a communicator. Both
// sides count from 0, so that messages can be matched though a trace has lost
// some. A receive from any rank, or of any tag, has no number (UINT64_MAX) in
// its first event. Peers are ranks of the communicator.
//
// Tracks are of the group "MPI" and called
//
//   "rank R of N, job J"      the process, in the world; J is random, and the
//                             same on all ranks of a run
//   "machine NAME"
//   "clock ID"                ID: the same where CLOCK_MONOTONIC is
//   "ID rank R of N"          a communicator; ID: the same on all its ranks
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_TRACE_H
#define ASYNC_GPU_RUNTIME_MPI_TRACE_H

#include "base/trace/trace.h"
#include "mpi/internal.h"

/// Whether requests are counted: they are recorded, or may be later.
static inline bool agpu__mpi_trace_counts(void) {
  return agpu__trace_on() || agpu__trace_is_allowed();
}

/// The calling thread asks for the request, and its call of the library comes
/// later.
void agpu__mpi_trace_hand(agpu__mpi_request *request);

/// The request's call of the library, which began at `time_ns`, has returned
/// `started`. The thread may call the library.
void agpu__mpi_trace_start(agpu__mpi_request *request,
                           agpu__mpi_started started, int64_t time_ns);

/// The request has ended. Nothing if its start was not counted, or this was
/// said before.
void agpu__mpi_trace_end_counted(agpu__mpi_request *request);
static inline void agpu__mpi_trace_end(agpu__mpi_request *request) {
  if (request->track)
    agpu__mpi_trace_end_counted(request);
}

/// At the end of mpi.init, on rank 0: says that ranks would write their traces
/// to one file, if they would.
void agpu__mpi_trace_check_file(void);

#endif // ASYNC_GPU_RUNTIME_MPI_TRACE_H
