//===- exchange.c - Ranks exchange parts of an array ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that moves elements between ranks and adds none up: each rank knows what
// every other one has and needs, so that one MPI_Ialltoallw of boxes, each a
// derived type, does it, where they lie.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mpi.h"

#include "base/memory/memory.h"
#include "mpi/internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const agpu__mpi_library *const library = &agpu__the_mpi_world.library;

/// As many dimensions as an array has that ranks exchange.
enum { AGPU__MPI_DIMS = 64 };

/// One side: the memref, and for each rank a type and how many of it.
typedef struct side {
  agpu_mpi_elements elements; ///< of arrays of its own
  int *counts;
  int64_t *bytes;
  void *types; ///< as the library takes them
  agpu__mpi_typed *owned;
} side;

typedef struct agpu__mpi_exchange {
  int64_t dim, other; ///< `other` may be negative
  agpu__mpi_split split;
  side from, to;
  const void *first; ///< of what would be staged of `from`
  int64_t staged;    ///< how many indices of `dim` that are
  int *offsets;      ///< zeroes: types have them
  int ranks;         ///< 0 while it is not known
  int64_t numbers[]; ///< sizes and strides of both sides
} agpu__mpi_exchange;

static void release(agpu__mpi_request *request) {
  agpu__mpi_exchange *exchange = request->exchange;
  side *sides[] = {&exchange->from, &exchange->to};
  for (int i = 0; i < 2; ++i) {
    for (int rank = 0; sides[i]->owned && rank < exchange->ranks; ++rank)
      agpu__mpi_type_free(library, &sides[i]->owned[rank]);
    free(sides[i]->owned);
    free(sides[i]->counts);
    free(sides[i]->bytes);
    free(sides[i]->types);
  }
  free(exchange->offsets);
  agpu__memory_free(exchange);
}

/// A copy of the memref with arrays at `*numbers`, which is moved on.
static agpu_mpi_elements keep(const agpu_mpi_elements *elements,
                              int64_t **numbers) {
  agpu_mpi_elements kept = *elements;
  size_t bytes = (size_t)elements->rank * sizeof(int64_t);
  memcpy(*numbers, elements->sizes, bytes);
  kept.sizes = *numbers;
  *numbers += elements->rank;
  memcpy(*numbers, elements->strides, bytes);
  kept.strides = *numbers;
  *numbers += elements->rank;
  return kept;
}

/// Of a halo that reaches as far on both sides, or on one side, others need the
/// first and last indices that a rank has: with a dimension more, of the sides.
/// Of everything else all. `sizes` and `strides` have room for that dimension.
static agpu_mpi_elements staged_part(agpu__mpi_exchange *self,
                                     const agpu_mpi_elements *from,
                                     int64_t *sizes, int64_t *strides) {
  int64_t before = self->split.before, after = self->split.after;
  int64_t sides = (before > 0) + (after > 0), dim = self->dim;
  int64_t reach = before > after ? before : after;
  self->staged = from->sizes[dim];
  if (self->split.stride != 1 || self->split.parts != self->split.size ||
      (sides == 2 && before != after) || sides * reach >= self->staged ||
      from->rank >= AGPU__MPI_DIMS)
    return *from;
  int64_t skipped = self->staged - reach;
  self->staged = sides * reach;
  for (int64_t i = 0; i < from->rank; ++i) {
    sizes[i + (i >= dim)] = from->sizes[i];
    strides[i + (i >= dim)] = from->strides[i];
  }
  sizes[dim] = sides;
  sizes[dim + 1] = reach;
  strides[dim] = skipped * strides[dim + 1];
  agpu_mpi_elements part = *from;
  part.rank += 1;
  part.sizes = sizes;
  part.strides = strides;
  if (after <= 0)
    part.pointer = (char *)part.pointer + strides[dim] * part.bytes;
  return part;
}

/// The elements are where they have been staged, contiguous: as many indices of
/// `dim` as these.
static void follow_staging(agpu_mpi_elements *elements, int64_t *sizes,
                           void *pointer, int64_t dim, int64_t count) {
  elements->pointer = pointer;
  sizes[dim] = count;
  int64_t *strides = sizes + elements->rank, stride = 1;
  for (int64_t i = elements->rank; i-- > 0; stride *= elements->sizes[i])
    strides[i] = stride;
}

/// Makes the type for a rank: of these indices of `dim`, and of `other` where
/// that is no negative number.
static int make_type(side *self, int rank, int64_t dim, agpu__mpi_range part,
                     int64_t other, agpu__mpi_range other_part) {
  agpu_mpi_elements box = self->elements;
  int64_t sizes[AGPU__MPI_DIMS];
  agpu__mpi_dim dims[AGPU__MPI_DIMS];
  memcpy(sizes, box.sizes, (size_t)box.rank * sizeof *sizes);
  int64_t offset = part.begin * box.strides[dim];
  sizes[dim] = part.size;
  if (other >= 0) {
    offset += other_part.begin * box.strides[other];
    sizes[other] = other_part.size;
  }
  box.sizes = sizes;
  agpu__mpi_view view;
  agpu__mpi_view_set(&view, &box, dims);
  self->bytes[rank] = agpu__mpi_view_bytes(&view);
  if (!view.count) {
    self->counts[rank] = 0;
    library->put(self->types, rank, library->types[view.type]);
    return 0;
  }
  agpu__mpi_typed typed;
  int code = agpu__mpi_type_make(library, &view, &typed);
  if (code)
    return code;
  agpu__mpi_handle placed;
  code = library->type_at(typed.type, typed.count,
                          (intptr_t)(offset * box.bytes), &placed);
  agpu__mpi_type_free(library, &typed);
  if (code)
    return code;
  self->owned[rank] = (agpu__mpi_typed){placed, 1, true};
  code = library->type_commit(&self->owned[rank].type);
  self->counts[rank] = 1;
  library->put(self->types, rank, self->owned[rank].type);
  return code;
}

static bool allocate(side *self, size_t ranks) {
  self->counts = calloc(ranks, sizeof *self->counts);
  self->bytes = calloc(ranks, sizeof *self->bytes);
  self->owned = calloc(ranks, sizeof *self->owned);
  self->types = calloc(ranks, library->handle_bytes);
  return self->counts && self->bytes && self->owned && self->types;
}

/// The part of `a` that is in `b` too, with its begin as counted from `from`'s.
static agpu__mpi_range common(agpu__mpi_range a, agpu__mpi_range b,
                              agpu__mpi_range from) {
  int64_t begin = a.begin > b.begin ? a.begin : b.begin;
  int64_t a_end = a.begin + a.size, b_end = b.begin + b.size;
  int64_t end = a_end < b_end ? a_end : b_end;
  return (agpu__mpi_range){begin - from.begin, end > begin ? end - begin : 0};
}

/// Whether memory has the size that this rank has to have. False with a
/// failure.
static bool check_size(agpu__mpi_request *request, const char *what,
                       const agpu_mpi_elements *elements, int64_t dim,
                       int64_t expected) {
  if (elements->sizes[dim] == expected)
    return true;
  request->failure = agpu_status_create(
      AGPU_STATUS_PROGRAM, request->location,
      "%s on rank %d of %d: %s has %lld in dimension %lld, where this rank's "
      "part of the array has %lld",
      request->operation->name, agpu__the_mpi_world.rank,
      agpu__the_mpi_world.size, what, (long long)elements->sizes[dim],
      (long long)dim, (long long)expected);
  return false;
}

/// How much of what it has itself a rank needs, and does not get: all of a
/// halo comes from others.
static int64_t kept_by(const agpu__mpi_exchange *self, int rank) {
  if (self->split.stride == 0)
    return 0;
  agpu__mpi_range mine = agpu__mpi_block(self->split.size, self->ranks, rank);
  return common(mine, agpu__mpi_needed(&self->split, self->ranks, rank), mine)
      .size;
}

static int make_types(agpu__mpi_exchange *self, int rank) {
  int64_t dim = self->dim, other = self->other;
  agpu__mpi_range mine = agpu__mpi_block(self->split.size, self->ranks, rank);
  agpu__mpi_range needed = agpu__mpi_needed(&self->split, self->ranks, rank);
  agpu__mpi_range all = {0, 0};
  int64_t whole = 0, kept = kept_by(self, rank);
  if (other >= 0) {
    whole = self->from.elements.sizes[other];
    all.size = self->to.elements.sizes[other];
  }
  int code = 0;
  for (int i = 0; !code && i < self->ranks; ++i) {
    agpu__mpi_range sent =
        common(mine, agpu__mpi_needed(&self->split, self->ranks, i), mine);
    agpu__mpi_range come = common(
        agpu__mpi_block(self->split.size, self->ranks, i), needed, needed);
    if (i == rank && self->split.stride != 0)
      sent.size = come.size = 0;
    if (i > rank) {
      come.begin -= kept;
      sent.begin -= mine.size - self->from.elements.sizes[dim];
    }
    code = make_type(&self->from, i, dim, sent, other,
                     agpu__mpi_block(whole, self->ranks, i));
    if (!code)
      code = make_type(&self->to, i, dim, come, other, all);
  }
  return code;
}

static agpu__mpi_started start_exchange(agpu__mpi_request *request) {
  agpu__mpi_exchange *self = request->exchange;
  agpu__mpi_handle comm = agpu__mpi_comm(request->comm);
  int ranks = 0, rank = 0;
  request->end.code = agpu__mpi_comm_place(request->comm, &rank, &ranks);
  if (request->end.code)
    return AGPU__MPI_DONE;
  int64_t other = self->other;
  self->ranks = ranks;
  if (!check_size(request, "what it gives", &self->from.elements, self->dim,
                  agpu__mpi_block(self->split.size, ranks, rank).size) ||
      !check_size(request, "what it gets", &self->to.elements, self->dim,
                  agpu__mpi_needed(&self->split, ranks, rank).size -
                      kept_by(self, rank)) ||
      (other >= 0 &&
       !check_size(
           request, "what it gets", &self->to.elements, other,
           agpu__mpi_block(self->from.elements.sizes[other], ranks, rank)
               .size)))
    return AGPU__MPI_DONE;
  self->offsets = calloc((size_t)ranks, sizeof *self->offsets);
  if (!self->offsets || !allocate(&self->from, (size_t)ranks) ||
      !allocate(&self->to, (size_t)ranks)) {
    request->failure =
        agpu_status_create(AGPU_STATUS_OUT_OF_RESOURCES, request->location,
                           "%s: no memory for what %d ranks exchange",
                           request->operation->name, ranks);
    return AGPU__MPI_DONE;
  }
  request->sent = self->from.bytes;
  request->come = self->to.bytes;
  // Then each rank has something for each other one.
  request->waits_for_all =
      self->split.stride == 0 && self->split.size >= ranks &&
      (other < 0 || self->from.elements.sizes[other] >= ranks) &&
      request->to.count > 0;
  if (request->from.pointer != self->first)
    follow_staging(&self->from.elements, self->numbers, request->from.pointer,
                   self->dim, self->staged);
  if (request->to.pointer != self->to.elements.pointer)
    follow_staging(
        &self->to.elements, self->numbers + 2 * self->from.elements.rank,
        request->to.pointer, self->dim, self->to.elements.sizes[self->dim]);
  request->end.code = make_types(self, rank);
  if (!request->end.code)
    request->end.code = library->ialltoallw(
        self->from.elements.pointer, self->from.counts, self->offsets,
        self->from.types, self->to.elements.pointer, self->to.counts,
        self->offsets, self->to.types, comm, &request->native);
  return request->end.code ? AGPU__MPI_DONE : AGPU__MPI_RUNS;
}

static const agpu__mpi_operation exchanges[AGPU_MPI_EXCHANGE_KIND_COUNT] = {
    [AGPU_MPI_ALL_GATHER] = {.name = "shard.all_gather",
                             .start = start_exchange,
                             .release = release,
                             .is_ordered = true,
                             .needs_mpi = true},
    [AGPU_MPI_ALL_TO_ALL] = {.name = "shard.all_to_all",
                             .start = start_exchange,
                             .release = release,
                             .is_ordered = true,
                             .needs_mpi = true},
    [AGPU_MPI_UPDATE_HALO] = {.name = "shard.update_halo",
                              .start = start_exchange,
                              .release = release,
                              .is_ordered = true,
                              .needs_mpi = true},
};

agpu_object *agpu_mpi_exchange(const agpu_mpi_elements *from,
                               const agpu_mpi_elements *to, int32_t kind,
                               int64_t dim, int64_t size, int64_t parts,
                               int64_t stride, int64_t before, int64_t after,
                               int64_t other, int64_t comm,
                               const char *location) {
  int64_t bytes = (int64_t)sizeof(agpu__mpi_exchange) +
                  2 * (from->rank + to->rank) * (int64_t)sizeof(int64_t);
  agpu__mpi_exchange *self = agpu__memory_alloc(
      bytes, _Alignof(agpu__mpi_exchange), "what ranks exchange");
  *self = (agpu__mpi_exchange){
      .dim = dim,
      .other = other,
      .split = {size, parts, stride, before, after},
  };
  int64_t *numbers = self->numbers;
  self->from.elements = keep(from, &numbers);
  self->to.elements = keep(to, &numbers);
  int64_t sizes[AGPU__MPI_DIMS], strides[AGPU__MPI_DIMS];
  agpu_mpi_elements part = staged_part(self, from, sizes, strides);
  agpu__mpi_request *request =
      agpu__mpi_request_create(&exchanges[kind], &part, to, location);
  self->first = request->from.pointer;
  request->exchange = self;
  request->comm = comm;
  return agpu__mpi_submit_new(request);
}
