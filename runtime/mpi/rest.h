//===- rest.h - When the progress thread rests --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_REST_H
#define ASYNC_GPU_RUNTIME_MPI_REST_H

#include "base/sync/park.h"

#include <stdbool.h>
#include <stdint.h>

/// Whose a request is.
typedef enum agpu__mpi_whose {
  AGPU__MPI_PROGRAMS,
  AGPU__MPI_OTHERS, ///< a piece of another one, or the last: all others are
                    ///< before it
} agpu__mpi_whose;

/// Requests that were submitted and have not ended. Who adds one then has it
/// seen, and calls agpu__mpi_rest_wake or _poke. Any thread.
void agpu__mpi_pending_add(agpu__mpi_whose whose);
void agpu__mpi_pending_remove(agpu__mpi_whose whose);
bool agpu__mpi_pending(void);

/// From now on `notify` is called, by any thread, when the last has ended.
void agpu__mpi_pending_set_notify(void (*notify)(void));

/// How many of them are the program's. Any thread.
uint32_t agpu__mpi_pending_of_program(void);

/// A number that differs where one of the program's was submitted or has ended
/// in between, or a piece was submitted. Any thread.
uint64_t agpu__mpi_acts(void);

/// In the child of a fork: there are none.
void agpu__mpi_pending_forget(void);

/// Has the thread look, if it would not soon. Any thread.
void agpu__mpi_rest_wake(void);

/// Has the thread look now, although others test. Any thread.
void agpu__mpi_rest_poke(void);

/// Has the thread end. Any thread.
void agpu__mpi_rest_stop(void);

/// Another thread tests. Of one that has claimed the requests (running.h).
void agpu__mpi_rest_note_test(void);

/// Before the thread starts.
void agpu__mpi_rest_init(void);

/// A round of the thread; none yet: zero.
typedef struct agpu__mpi_round {
  unsigned in_vain; ///< rounds so far without anything to do
  unsigned tests;   ///< of others, at the begin
  bool others_test; ///< since the round before
  bool stops;
} agpu__mpi_round;

/// Before the thread looks for what there is to do.
void agpu__mpi_rest_begin(agpu__mpi_round *round);

/// It has found nothing: rests. `listens`: other ranks may say something.
void agpu__mpi_rest(agpu__mpi_round *round, bool listens);

#endif // ASYNC_GPU_RUNTIME_MPI_REST_H
