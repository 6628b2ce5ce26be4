//===- reduce_scatter.c - Each rank gets its part of a reduction ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI_Ireduce_scatter gives each rank the values behind those of the ranks
// before it, which are blocks of the array's slowest dimension. MPI reduces
// what is contiguous: what is reduced is copied if it is not.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mpi.h"

#include "base/report/fatal.h"
#include "mpi/internal.h"

#include <limits.h>
#include <stdlib.h>

static const agpu__mpi_library *const library = &agpu__the_mpi_world.library;

/// The request's `packed`.
typedef struct scatter {
  int64_t size;    ///< of the dimension that is in blocks
  char *from, *to; ///< copies of the elements, NULL where there is none
  int counts[];    ///< and the copies
} scatter;

static agpu__mpi_started fail(agpu__mpi_request *request, agpu_status status) {
  request->failure = status;
  return AGPU__MPI_DONE;
}

/// Makes room for counts and copies, and writes them. NULL: there is no memory.
static scatter *prepare(agpu__mpi_request *request, int ranks) {
  const agpu__mpi_view *from = &request->from, *to = &request->to;
  size_t head = sizeof(scatter) + (size_t)ranks * sizeof(int);
  head = (head + 63) & ~(size_t)63;
  size_t from_bytes = from->rank ? (size_t)agpu__mpi_view_bytes(from) : 0;
  size_t to_bytes = to->rank ? (size_t)agpu__mpi_view_bytes(to) : 0;
  scatter *self = realloc(request->packed, head + from_bytes + to_bytes);
  if (!self)
    return NULL;
  request->packed = self;
  if (from->rank) {
    self->from = (char *)self + head;
    agpu__mpi_view_pack(from, self->from);
  }
  if (to->rank)
    self->to = (char *)self + head + from_bytes;
  int64_t each = self->size ? from->count / self->size : 0;
  for (int i = 0; i < ranks; ++i)
    self->counts[i] = (int)(agpu__mpi_block(self->size, ranks, i).size * each);
  return self;
}

static agpu__mpi_started start(agpu__mpi_request *request) {
  const agpu__mpi_view *from = &request->from, *to = &request->to;
  const char *name = request->operation->name;
  agpu__mpi_handle comm = agpu__mpi_comm(request->comm);
  int ranks = 0, rank = 0;
  request->end.code = agpu__mpi_comm_place(request->comm, &rank, &ranks);
  if (request->end.code)
    return AGPU__MPI_DONE;
  if (from->count > INT_MAX)
    return fail(request,
                agpu_status_create(
                    AGPU_STATUS_PROGRAM, request->location,
                    "%s of %lld values: MPI reduces %d at a time, at most",
                    name, (long long)from->count, INT_MAX));
  scatter *self = prepare(request, ranks);
  if (!self)
    return fail(request, agpu_status_create(
                             AGPU_STATUS_OUT_OF_RESOURCES, request->location,
                             "%s: no memory for a copy of the elements", name));
  if (to->count != self->counts[rank])
    return fail(request,
                agpu_status_create(
                    AGPU_STATUS_PROGRAM, request->location,
                    "%s on rank %d of %d: there is memory for %lld values, and "
                    "this rank's part has %d",
                    name, agpu__the_mpi_world.rank, agpu__the_mpi_world.size,
                    (long long)to->count, self->counts[rank]));
  request->end.code = library->ireduce_scatter(
      self->from ? self->from : from->pointer,
      self->to ? self->to : to->pointer, self->counts,
      library->types[from->type], library->reductions[request->tag], comm,
      &request->native);
  return request->end.code ? AGPU__MPI_DONE : AGPU__MPI_RUNS;
}

static void finish(agpu__mpi_request *request) {
  const scatter *self = request->packed;
  if (self->to)
    agpu__mpi_view_unpack(&request->to, self->to);
}

static const agpu__mpi_operation reduce_scatter = {.name =
                                                       "shard.reduce_scatter",
                                                   .start = start,
                                                   .finish = finish,
                                                   .is_ordered = true,
                                                   .is_scatter = true,
                                                   .needs_mpi = true};

agpu_object *agpu_mpi_reduce_scatter(const agpu_mpi_elements *from,
                                     const agpu_mpi_elements *to,
                                     int32_t reduction, int64_t dim,
                                     int64_t comm, const char *location) {
  agpu__mpi_request *request =
      agpu__mpi_request_create(&reduce_scatter, from, to, location);
  scatter *self = request->packed = calloc(1, sizeof *self);
  if (!self)
    agpu__fatal_out_of_memory("a request of MPI", (long long)sizeof *self);
  self->size = from->sizes[dim];
  request->tag = reduction;
  request->comm = comm;
  return agpu__mpi_submit_new(request);
}
