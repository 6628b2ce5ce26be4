//===- pieces.c - Long messages of device memory, in pieces ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message that is staged in memory of the host takes the time of a copy, of
// the message and of another copy, unless these overlap. So a long one is cut:
//
//   head     the first P bytes and 16 bytes more: how long the whole is, and a
//            number. It is the message that the receive matches: with its
//            communicator, tag, and place in the order of messages
//   pieces   the rest, on a communicator of the runtime's own, each with a tag
//            made of the number and of which piece it is. They are sent as they
//            come from the device, and received all at once
//
// P is the same on all ranks, which agree on it in mpi.init: on 0, which is
// none of this, unless on each the runtime alone has the library, so that
// whatever is received is received here. A receive needs to know nothing in
// advance: of P + 16 bytes is a head and nothing else, as a send of that length
// is cut wherever its memory is, and any other is whole.
//
// This file has what both sides do: cutting, pieces, and the end. Sends are in
// piece_sends.c and receives in piece_receives.c.
//
// The number is the sender's until all pieces have ended, and these are
// synchronous sends, which end when they are matched: no two pieces under way
// between two ranks have one tag. A sender without a number left sends the
// whole.
//
//===----------------------------------------------------------------------===//

#include "mpi/pieces.h"

#include "base/memory/memory.h"
#include "base/report/settings.h"
#include "mpi/internal.h"

#include <sched.h>
#include <sys/random.h>

/// What a rank proposes where its user says nothing.
#define DEFAULT_BYTES ((int64_t)1 << 20)

/// Of the pieces' communicator, on all ranks.
#define COMM_ID UINT64_MAX

static struct {
  int64_t comm;
  void (*submit)(agpu__mpi_request *request);
  agpu__mutex lock;
  bool used[AGPU__MPI_PIECED_SENDS] AGPU__GUARDED_BY(lock);
} self = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_MPI_PIECED_SENDS)};

typedef agpu__mpi_pieces pieces;

//===----------------------------------------------------------------------===//
// Agreement
//===----------------------------------------------------------------------===//

void agpu__mpi_pieces_submit_to(void (*submit)(agpu__mpi_request *request)) {
  self.submit = submit;
}

int agpu__mpi_pieces_init(agpu_status *out_status) {
  const agpu__mpi_world *world = &agpu__the_mpi_world;
  const agpu__mpi_library *library = &world->library;
  int64_t own, drawn = 0;
  *out_status = agpu__setting_integer(AGPU__SETTING_MPI_PIECE_BYTES, &own);
  if (*out_status)
    return 0;
  if (own == AGPU__SETTING_UNSET)
    own = library->has_other_users || !world->is_ours || world->has_model
              ? 0
              : DEFAULT_BYTES;
  if (own && world->has_model) {
    *out_status =
        agpu_status_create(AGPU_STATUS_UNSUPPORTED, NULL,
                           "in modelled time messages go as a whole: unset "
                           "ASYNC_GPU_MPI_PIECE_BYTES");
    return 0;
  }
  const int64_t unit = sizeof(agpu__mpi_trailer);
  own = (own + unit - 1) / unit * unit;
  agpu__mpi_handle comm, request;
  int code = library->comm_dup(library->world, &comm);
  if (code)
    return code;
  (void)!getrandom(&drawn, sizeof drawn, GRND_NONBLOCK);
  int64_t proposed[] = {own, drawn}, least[] = {own, drawn};
  code = library->iallreduce(proposed, least, 2, library->types[AGPU_MPI_INT64],
                             library->reductions[AGPU_MPI_MIN], comm, &request);
  agpu__mpi_ended end;
  if (!code) {
    while (!library->test(&request, &end))
      (void)sched_yield();
    code = end.code;
  }
  agpu__the_mpi_world.head_bytes = least[0];
  agpu__the_mpi_world.job = (uint64_t)least[1];
  self.comm = (int64_t)comm;
  agpu__mpi_comm_add(self.comm, COMM_ID);
  return code;
}

int64_t agpu__mpi_pieces_take_number(void) {
  int64_t number = -1;
  agpu__mutex_lock(&self.lock);
  for (int i = 0; i < AGPU__MPI_PIECED_SENDS && number < 0; ++i)
    if (!self.used[i]) {
      self.used[i] = true;
      number = i;
    }
  agpu__mutex_unlock(&self.lock);
  return number;
}

static void give_number(int64_t number) {
  agpu__mutex_lock(&self.lock);
  self.used[number] = false;
  agpu__mutex_unlock(&self.lock);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

pieces *agpu__mpi_pieces_create(agpu__mpi_request *request, int64_t bytes) {
  int64_t rank = request->from.rank > request->target.rank
                     ? request->from.rank
                     : request->target.rank;
  pieces *made = agpu__memory_alloc((int64_t)sizeof *made +
                                        rank * (int64_t)sizeof(agpu__mpi_dim),
                                    _Alignof(pieces), "a message in pieces");
  int64_t rest = bytes - agpu__the_mpi_world.head_bytes;
  int64_t least = (rest + AGPU__MPI_MOST_PIECES - 1) / AGPU__MPI_MOST_PIECES;
  int64_t unit = sizeof(agpu__mpi_trailer);
  int64_t piece = (least + unit - 1) / unit * unit;
  if (piece < agpu__the_mpi_world.head_bytes)
    piece = agpu__the_mpi_world.head_bytes;
  int count = (int)((rest + piece - 1) / piece);
  *made = (pieces){.request = request,
                   .bytes = bytes,
                   .piece_bytes = piece,
                   .count = count,
                   .open = 1 + count};
  agpu__mutex_init(&made->lock, AGPU__RANK_MPI_PIECES);
  return made;
}

int64_t agpu__mpi_piece_begin(const pieces *of, int index) {
  int64_t begin = agpu__the_mpi_world.head_bytes + index * of->piece_bytes;
  return begin < of->bytes ? begin : of->bytes;
}

static void finish(pieces *of) {
  agpu__mpi_request *request = of->request;
  void (*then)(agpu__mpi_request *) = of->then;
  bool is_receive = request->operation->is_receive;
  if (!is_receive)
    give_number(of->number);
  for (int i = 0; i < AGPU__MPI_COPY_STREAMS; ++i)
    if (of->streams[i])
      agpu_stream_release(of->streams[i]);
  agpu__mutex_lock(&of->lock);
  if (!request->failure)
    request->failure = of->failure;
  else
    agpu_status_release(of->failure);
  if (!request->end.code)
    request->end.code = of->code;
  request->lacks_rest = is_receive && of->is_empty;
  agpu__mutex_unlock(&of->lock);
  if (is_receive && of->owns_memory) {
    if (!request->failure && !request->end.code && !request->lacks_rest)
      agpu__mpi_view_write(&request->from, agpu__the_mpi_world.head_bytes,
                           of->memory + agpu__the_mpi_world.head_bytes,
                           of->bytes - agpu__the_mpi_world.head_bytes);
    agpu__memory_free(of->memory);
  }
  agpu__mutex_destroy(&of->lock);
  agpu__memory_free(of);
  request->pieces = NULL;
  then(request);
}

void agpu__mpi_pieces_ended(pieces *of, int count) {
  agpu__mutex_lock(&of->lock);
  of->open -= count;
  bool last = of->open == 0;
  agpu__mutex_unlock(&of->lock);
  if (last)
    finish(of);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static agpu__mpi_started start_piece(agpu__mpi_request *request) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  agpu__mpi_handle comm = agpu__mpi_comm(request->comm);
  int count = (int)request->from.count;
  agpu__mpi_handle type = library->types[AGPU_MPI_BYTE];
  request->end.code =
      request->operation->is_receive
          ? library->irecv(request->from.pointer, count, type, request->peer,
                           request->tag, comm, &request->native)
          : library->issend(request->from.pointer, count, type, request->peer,
                            request->tag, comm, &request->native);
  return request->end.code ? AGPU__MPI_DONE : AGPU__MPI_RUNS;
}

static void end_piece(agpu__mpi_request *piece);

static const agpu__mpi_operation piece_sends = {.name = "a piece of mpi.send",
                                                .start = start_piece,
                                                .end = end_piece,
                                                .has_peer = true,
                                                .needs_mpi = true};
static const agpu__mpi_operation piece_receives = {.name =
                                                       "a piece of mpi.recv",
                                                   .start = start_piece,
                                                   .end = end_piece,
                                                   .has_peer = true,
                                                   .is_receive = true,
                                                   .needs_mpi = true};

void agpu__mpi_piece_submit(pieces *of, int index) {
  agpu__mpi_request *piece = agpu__memory_alloc(
      sizeof *piece, _Alignof(agpu__mpi_request), "a piece of a message");
  int64_t begin = agpu__mpi_piece_begin(of, index),
          end = agpu__mpi_piece_begin(of, index + 1);
  bool is_receive = of->request->operation->is_receive;
  agpu__mutex_lock(&of->lock);
  if (of->is_empty)
    end = begin;
  agpu__mutex_unlock(&of->lock);
  *piece = (agpu__mpi_request){
      .operation = is_receive ? &piece_receives : &piece_sends,
      .location = of->request->location,
      .comm = self.comm,
      .peer = of->peer,
      // Below 2^15, as MPI has them at least.
      .tag = (int32_t)(of->number * AGPU__MPI_MOST_PIECES + index),
      .from = {.pointer = of->memory + begin,
               .type = AGPU_MPI_BYTE,
               .value_bytes = 1,
               .run = end - begin,
               .count = end - begin},
      .pieces = of,
      .piece = index};
  self.submit(piece);
}

static void end_piece(agpu__mpi_request *piece) {
  pieces *of = piece->pieces;
  agpu__mutex_lock(&of->lock);
  if (piece->end.code && !of->code)
    of->code = piece->end.code;
  if (piece->failure && !of->failure)
    of->failure = piece->failure;
  else
    agpu_status_release(piece->failure);
  if (piece->operation->is_receive) {
    of->parts[piece->piece].is_over = true;
    of->is_empty |= !piece->end.code && !piece->failure &&
                    piece->end.bytes != piece->from.count;
  }
  agpu__mutex_unlock(&of->lock);
  if (of->arrived)
    of->arrived(of);
  agpu__memory_free(piece);
  agpu__mpi_pieces_ended(of, 1);
}
