//===- world.h - MPI in this process -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_WORLD_H
#define ASYNC_GPU_RUNTIME_MPI_WORLD_H

#include "base/sync/mutex.h"
#include "mpi/library.h"
#include "mpi/request.h"

#include <stdatomic.h>

typedef enum agpu__mpi_phase {
  AGPU__MPI_BEFORE, ///< not initialized
  AGPU__MPI_UP,
  AGPU__MPI_AFTER, ///< finalized
} agpu__mpi_phase;

/// MPI can be initialized once in the life of a process, so there is one of
/// these, which nothing takes down.
typedef struct agpu__mpi_world {
  /// Release and acquire: a reader of UP sees what is below.
  _Atomic(int) phase;
  atomic_bool has_others; ///< who are to end with this rank, as far as known
  agpu__mpi_library library;
  bool is_multiple; ///< any thread may call the library
  bool is_ours;     ///< nobody else has initialized it
  int rank, size;
  /// Counts submissions and ends of requests.
  _Atomic(uint64_t) acts;
  /// Requests of the program that have not ended, but for the last.
  _Atomic(int64_t) unfinished;
} agpu__mpi_world;

extern agpu__mpi_world agpu__the_mpi_world;

/// A request was submitted, or has ended. Any thread.
static inline void agpu__mpi_act(void) {
  atomic_fetch_add_explicit(&agpu__the_mpi_world.acts, 1, memory_order_relaxed);
}

/// The handle of a communicator's number.
static inline agpu__mpi_handle agpu__mpi_comm(int64_t number) {
  return number ? (agpu__mpi_handle)number : agpu__the_mpi_world.library.world;
}

/// The operations of the world's begin and end.
extern const agpu__mpi_operation agpu__mpi_operation_init,
    agpu__mpi_operation_finalize;

#endif // ASYNC_GPU_RUNTIME_MPI_WORLD_H
