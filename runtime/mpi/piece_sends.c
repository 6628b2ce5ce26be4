//===- piece_sends.c - Sends in pieces ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A message is copied from its device in parts, on streams in turn, to memory
// of the host, and each piece is sent once the parts that it is in are there.
// The head is sent as the message itself would be, in its place in the order;
// the others follow it. If a copy fails after a head that may have been sent,
// they are empty, which tells the receiver.
//
//===----------------------------------------------------------------------===//

#include "mpi/pieces.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "mpi/internal.h"

#include <string.h>

typedef agpu__mpi_pieces pieces;

/// Pieces that will not be sent are none that are open.
static void give_up_rest(pieces *of) AGPU__REQUIRES(of->lock) {
  AGPU__ASSERT_HELD(&of->lock);
  of->open -= of->count - of->submitted;
  of->submitted = of->count;
}

/// Sends what has come from the device since.
static void send_available(pieces *of) {
  agpu__mutex_lock(&of->lock);
  int first = of->submitted, behind = first;
  while (of->has_begun && behind < of->count &&
         agpu__mpi_piece_begin(of, behind + 1) <= of->there)
    ++behind;
  of->submitted = behind;
  agpu__mutex_unlock(&of->lock);
  for (int i = first; i < behind; ++i)
    agpu__mpi_piece_submit(of, i);
}

typedef struct copying {
  pieces *of;
  int part;
} copying;

/// A part has come from the device, or the first error has.
static void end_copy_out(void *argument, agpu_status status) {
  copying at = *(copying *)argument;
  pieces *of = at.of;
  agpu__memory_free(argument);
  agpu__mutex_lock(&of->lock);
  of->parts[at.part].is_over = true;
  if (status && !of->failure) {
    of->failure = status;
    if (of->may_start)
      give_up_rest(of);
    else
      of->is_empty = true;
    of->there = of->bytes;
  } else {
    agpu_status_release(status);
  }
  for (int i = 0; !of->failure && i < of->copies && of->parts[i].is_over; ++i)
    of->there = of->parts[i].end;
  void (*may_start)(agpu__mpi_request *) = NULL;
  if (of->may_start &&
      (of->failure || of->there >= agpu__the_mpi_world.head_bytes)) {
    may_start = of->may_start;
    of->may_start = NULL;
    of->request->failure = of->failure;
    of->failure = AGPU_OK;
  }
  agpu__mutex_unlock(&of->lock);
  if (may_start)
    may_start(of->request);
  send_available(of);
  agpu__mpi_pieces_ended(of, 1);
}

/// Enqueues the copies of all parts, on streams in turn, so that one is copied
/// from a device while another goes from its pinned buffer.
static void copy_out(pieces *of) {
  for (int i = 0; i < AGPU__MPI_COPY_STREAMS; ++i)
    of->streams[i] = agpu_stream_acquire(of->request->location);
  int64_t ends[AGPU__MPI_MOST_PIECES + 1];
  int copies = 0;
  agpu__mutex_lock(&of->lock);
  for (int64_t end = 0; end < of->bytes; ++copies) {
    // At least to where the next piece ends.
    int piece = (int)((end - agpu__the_mpi_world.head_bytes) / of->piece_bytes);
    int64_t wanted = end < agpu__the_mpi_world.head_bytes
                         ? agpu__the_mpi_world.head_bytes
                         : agpu__mpi_piece_begin(of, piece + 1);
    end = agpu__mpi_view_part_end(&of->device, wanted);
    ends[copies] = of->parts[copies].end = end;
  }
  of->copies = copies;
  of->open += copies;
  agpu__mutex_unlock(&of->lock);
  for (int i = 0; i < copies; ++i) {
    int64_t begin = i ? ends[i - 1] : 0;
    agpu__mpi_view view =
        agpu__mpi_view_part(&of->device, begin, ends[i], of->dims);
    agpu_stream *stream = of->streams[i % AGPU__MPI_COPY_STREAMS];
    agpu__mpi_copy_out(stream, &view, of->memory + begin,
                       of->request->location);
    copying *at = agpu__memory_alloc(sizeof *at, _Alignof(copying), "a copy");
    *at = (copying){of, i};
    agpu__mpi_follow(stream, end_copy_out, at, of->request->location);
  }
}

bool agpu__mpi_pieces_send(agpu__mpi_request *request, bool on_device,
                           bool staged,
                           void (*then)(agpu__mpi_request *request)) {
  int64_t bytes = agpu__mpi_view_bytes(&request->from);
  int64_t head = agpu__the_mpi_world.head_bytes;
  bool looks_like_head = agpu__mpi_is_head(bytes);
  if (!head || request->peer < 0 ||
      !(looks_like_head || (staged && bytes >= 2 * head)))
    return false;
  int64_t number = agpu__mpi_pieces_take_number();
  if (number < 0 && !looks_like_head)
    return false;
  if (number < 0) {
    request->failure = agpu_status_create(
        AGPU_STATUS_OUT_OF_RESOURCES, request->location,
        "%s: %d messages are sent in pieces, no more can be: set "
        "ASYNC_GPU_MPI_PIECE_BYTES to a larger number, or to 0",
        request->operation->name, AGPU__MPI_PIECED_SENDS);
    then(request);
    return true;
  }
  pieces *of = request->pieces = agpu__mpi_pieces_create(request, bytes);
  of->number = number;
  of->may_start = then;
  of->memory = request->staged =
      agpu__memory_alloc(bytes + (int64_t)sizeof(agpu__mpi_trailer),
                         AGPU__CACHE_LINE, "a message of device memory");
  memcpy(of->memory + bytes, &(agpu__mpi_trailer){bytes, number},
         sizeof(agpu__mpi_trailer));
  agpu__mpi_view source = request->from;
  request->from = agpu__mpi_view_packed(&source, of->memory);
  if (on_device) {
    of->device = source;
    copy_out(of);
    return true;
  }
  agpu__mpi_view_pack(&source, of->memory);
  agpu__mutex_lock(&of->lock);
  of->there = bytes;
  of->may_start = NULL;
  agpu__mutex_unlock(&of->lock);
  then(request);
  return true;
}

int agpu__mpi_pieces_make_head(const agpu__mpi_request *request,
                               agpu__mpi_typed *out) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  const pieces *of = request->pieces;
  *out = (agpu__mpi_typed){.count = 1};
  agpu__mpi_handle byte = library->types[AGPU_MPI_BYTE], first, last;
  int code = library->type_contiguous((int)agpu__the_mpi_world.head_bytes, byte,
                                      &first);
  if (code)
    return code;
  code = library->type_contiguous(sizeof(agpu__mpi_trailer), byte, &last);
  if (!code) {
    code = library->type_pair(first, last, (intptr_t)of->bytes, &out->type);
    out->owned = !code;
    (void)library->type_free(&last);
  }
  (void)library->type_free(&first);
  return code ? code : library->type_commit(&out->type);
}

void agpu__mpi_pieces_begin(agpu__mpi_request *request) {
  pieces *of = request->pieces;
  of->peer = agpu__mpi_comm_world_rank(request->comm, request->peer);
  agpu__mutex_lock(&of->lock);
  of->has_begun = true;
  agpu__mutex_unlock(&of->lock);
  send_available(of);
}

void agpu__mpi_pieces_head_ended(agpu__mpi_request *request,
                                 void (*then)(agpu__mpi_request *request)) {
  pieces *of = request->pieces;
  agpu__mutex_lock(&of->lock);
  of->then = then;
  if (request->failure || request->end.code)
    give_up_rest(of);
  agpu__mutex_unlock(&of->lock);
  agpu__mpi_pieces_ended(of, 1);
}
