//===- modelled.h - Requests in modelled time ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_MODELLED_H
#define ASYNC_GPU_RUNTIME_MPI_MODELLED_H

#include "base/os/clock.h"
#include "base/sync/schedule.h"
#include "mpi/internal.h"
#include "mpi/trace.h"

/// Whether requests take modelled time: from the end of mpi.init on.
static inline bool agpu__mpi_is_modelled(void) {
  return atomic_load_explicit(&agpu__the_mpi_world.is_modelled,
                              memory_order_relaxed);
}

/// At the end of mpi.init, which `request` is: joins the other ranks, and
/// returns when all have. Where time is modelled; else it does nothing. Sets
/// `failure` on errors. The library's code.
int agpu__mpi_modelled_init(agpu__mpi_request *request);

/// Starts the operation, as the operation does by itself. What is sent short is
/// copied, as its receive may come much later.
agpu__mpi_started agpu__mpi_modelled_start(agpu__mpi_request *request);

/// Calls the library, in either time.
static inline agpu__mpi_started agpu__mpi_call(agpu__mpi_request *request) {
  // A thread that only calls the library has no modelled time of its own.
  bool counts = agpu__mpi_trace_counts();
  bool has_time = request->handed && agpu__schedule_network();
  int64_t time = !counts    ? 0
                 : has_time ? request->handed
                            : agpu__clock_now_ns();
  agpu__mpi_started started = agpu__mpi_is_modelled()
                                  ? agpu__mpi_modelled_start(request)
                                  : request->operation->start(request);
  if (counts)
    agpu__mpi_trace_start(request, started, time);
  return started;
}

/// The request has begun, at the calling thread's clock: from here on it may be
/// gone. Any thread.
void agpu__mpi_modelled_begin(agpu__mpi_request *request);

/// The library has done what a call that blocks a thread was for. The request
/// may be gone then.
void agpu__mpi_modelled_is_here(agpu__mpi_request *request);

/// All requests have ended: the last begins, once. Of the progress thread, as
/// what follows.
void agpu__mpi_modelled_finalize(agpu__mpi_request *request);

/// The next request that is over, which the library has ended, too; NULL after
/// a while without any.
agpu__mpi_request *agpu__mpi_modelled_await(void);

/// The rank begins nothing more.
void agpu__mpi_modelled_leave(void);

/// Tests what the library has to do. Any thread.
void agpu__mpi_modelled_poll(void);

#endif // ASYNC_GPU_RUNTIME_MPI_MODELLED_H
