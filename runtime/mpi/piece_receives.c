//===- piece_receives.c - Receives in pieces ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// After a head all other pieces are received at once, and what is there up to
// some byte is copied to the device, on streams in turn. Memory of the host has
// them where they belong, or, where its elements lie apart, at the end.
//
//===----------------------------------------------------------------------===//

#include "mpi/pieces.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "mpi/internal.h"

typedef agpu__mpi_pieces pieces;

static void end_copy_in(void *argument, agpu_status status) {
  pieces *of = argument;
  agpu__mutex_lock(&of->lock);
  if (!of->failure)
    of->failure = status;
  else
    agpu_status_release(status);
  agpu__mutex_unlock(&of->lock);
  agpu__mpi_pieces_ended(of, 1);
}

/// Enqueues copies of what has arrived since to the device. One thread at a
/// time has the streams: the lock is held.
static void copy_arrived(pieces *of) {
  agpu__mutex_lock(&of->lock);
  int arrived = 0;
  while (arrived < of->count && of->parts[arrived].is_over)
    ++arrived;
  of->there = agpu__mpi_piece_begin(of, arrived);
  while (of->device.count && of->copied < of->there && !of->code &&
         !of->is_empty) {
    // The last may be shorter than what it goes to.
    int64_t begin = of->copied;
    int64_t wanted = begin < agpu__the_mpi_world.head_bytes
                         ? agpu__the_mpi_world.head_bytes
                         : begin + of->piece_bytes;
    if (wanted > of->there)
      wanted = of->there;
    int64_t end = agpu__mpi_view_part_end(&of->device, wanted);
    if (end > of->there && of->there < of->bytes)
      break;
    int64_t bytes = (end < of->bytes ? end : of->bytes) - begin;
    agpu__mpi_view view =
        agpu__mpi_view_part(&of->device, begin, end, of->dims);
    agpu_stream *stream = of->streams[of->copies++ % AGPU__MPI_COPY_STREAMS];
    agpu__mpi_copy_in(stream, &view, of->memory + begin,
                      bytes / of->device.value_bytes, of->request->location);
    of->copied = begin + bytes;
    ++of->open;
    agpu__mpi_follow(stream, end_copy_in, of, of->request->location);
  }
  agpu__mutex_unlock(&of->lock);
}

void agpu__mpi_pieces_receive(agpu__mpi_request *request,
                              void (*then)(agpu__mpi_request *request)) {
  const agpu__mpi_library *library = &agpu__the_mpi_world.library;
  agpu__mpi_trailer last;
  agpu__mpi_view_read(&request->from, agpu__the_mpi_world.head_bytes, &last,
                      sizeof last);
  bool fits = last.bytes <= agpu__mpi_view_bytes(&request->from);
  pieces *of = agpu__mpi_pieces_create(request, last.bytes);
  request->pieces = of;
  of->then = then;
  of->arrived = copy_arrived;
  of->number = last.number;
  of->peer = agpu__mpi_comm_world_rank(request->comm, request->end.source);
  request->end.bytes = last.bytes;
  if (fits && !request->from.rank) {
    of->memory = request->from.pointer;
  } else {
    of->memory =
        agpu__memory_alloc(last.bytes, AGPU__CACHE_LINE, "a message in pieces");
    of->owns_memory = true;
  }
  agpu__mutex_lock(&of->lock);
  if (!fits)
    of->code = library->truncate;
  agpu__mutex_unlock(&of->lock);
  if (fits && request->target.count) {
    of->device = request->target;
    for (int i = 0; i < AGPU__MPI_COPY_STREAMS; ++i)
      of->streams[i] = agpu_stream_acquire(request->location);
  }
  request->target = (agpu__mpi_view){0};
  for (int i = 0, count = of->count; i < count; ++i)
    agpu__mpi_piece_submit(of, i);
  copy_arrived(of);
  agpu__mpi_pieces_ended(of, 1);
}
