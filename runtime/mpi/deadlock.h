//===- deadlock.h - Ranks that wait for each other -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_DEADLOCK_H
#define ASYNC_GPU_RUNTIME_MPI_DEADLOCK_H

#include "mpi/request.h"

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
