//===- agree.c - Arguments that all ranks are given alike -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank gives what it has and the same with another sign: the maxima of
// both say whether all are equal. A call on a thread of its own, at the start
// of a function: ranks that go on although they disagree would wait for each
// other, or write where there is no memory.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mpi.h"

#include "mpi/internal.h"

#include <stdio.h>
#include <time.h>

static agpu__mpi_world *const world = &agpu__the_mpi_world;

/// Behind the request.
typedef struct question {
  int64_t both[2]; // the number, and less it
  int64_t argument, dim;
} question;

/// The code of a call that waits for the maxima.
static int find_maxima(int64_t *both, int64_t comm) {
  const agpu__mpi_library *library = &world->library;
  agpu__mpi_handle request;
  int code = library->iallreduce(NULL, both, 2, library->types[AGPU_MPI_INT64],
                                 library->reductions[AGPU_MPI_MAX],
                                 agpu__mpi_comm(comm), &request);
  agpu__mpi_ended end;
  if (code)
    return code;
  while (!library->test(&request, &end))
    (void)nanosleep(&(struct timespec){.tv_nsec = 20 * 1000}, NULL);
  return end.code;
}

static agpu__mpi_started start_agree(agpu__mpi_request *request) {
  question *asked = request->packed;
  request->waits_for_all = true;
  int64_t number = asked->both[0];
  request->end.code = find_maxima(asked->both, request->comm);
  int64_t most = asked->both[0], least = -asked->both[1];
  if (request->end.code || most == least)
    return AGPU__MPI_DONE;
  // It is for the first to say: others wait for it in a call that it does not
  // make, and are ended by it.
  agpu__mpi_handle never;
  if (world->rank) {
    (void)world->library.comm_split(world->library.world, 0, 0, &never);
    return AGPU__MPI_DONE;
  }
  char what[80];
  if (asked->dim < 0)
    (void)snprintf(what, sizeof what, "argument %lld is",
                   (long long)asked->argument);
  else
    (void)snprintf(what, sizeof what, "dimension %lld of argument %lld is",
                   (long long)asked->dim, (long long)asked->argument);
  request->failure = agpu_status_create(
      AGPU_STATUS_PROGRAM, request->location,
      "shard.grid: ranks disagree: %s %lld on rank 0 of %d, and from %lld to "
      "%lld on all",
      what, (long long)number, world->size, (long long)least, (long long)most);
  return AGPU__MPI_DONE;
}

static const agpu__mpi_operation agree = {.name = "shard.grid",
                                          .start = start_agree,
                                          .is_blocking = true,
                                          .needs_mpi = true};

agpu_object *agpu_mpi_agree(int64_t number, int64_t argument, int64_t dim,
                            int64_t comm, const char *location) {
  question asked = {{number, -number}, argument, dim};
  return agpu__mpi_ask(&agree, &asked, sizeof asked, comm, location);
}
