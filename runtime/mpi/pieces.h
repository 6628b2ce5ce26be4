//===- pieces.h - Long messages of device memory in pieces --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See pieces.c for what goes between ranks.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_PIECES_H
#define ASYNC_GPU_RUNTIME_MPI_PIECES_H

#include "async_gpu/stream.h"
#include "base/sync/mutex.h"
#include "mpi/internal.h"

/// After the first bytes of a head.
typedef struct agpu__mpi_trailer {
  int64_t bytes; ///< of the whole
  int64_t number;
} agpu__mpi_trailer;

/// Requests of pieces go to `submit`. Before any is made.
void agpu__mpi_pieces_submit_to(void (*submit)(agpu__mpi_request *request));

/// Has all ranks agree on how long a piece is, together; the library's code.
/// `status` is set where the setting is malformed.
int agpu__mpi_pieces_init(agpu_status *out_status);

/// Whether a message is as long as a head, and so is one.
static inline bool agpu__mpi_is_head(int64_t bytes) {
  int64_t head = agpu__the_mpi_world.head_bytes;
  return bytes == head + (int64_t)sizeof(agpu__mpi_trailer) && head;
}

/// Whether `request`, a send, goes in pieces: then this begins to copy it.
/// `on_device`: its memory is a device's, and `staged`: the library does not
/// take that. False where neither that nor a head's length says so. `then` is
/// called once, with the request, when the first piece may be sent, or with its
/// `failure` set. Any thread.
bool agpu__mpi_pieces_send(agpu__mpi_request *request, bool on_device,
                           bool staged,
                           void (*then)(agpu__mpi_request *request));

/// For a send in pieces: what the library is to send in place of the message.
int agpu__mpi_pieces_make_head(const agpu__mpi_request *request,
                               agpu__mpi_typed *out);

/// The head's call of the library has succeeded: the other pieces may follow.
void agpu__mpi_pieces_begin(agpu__mpi_request *request);

/// The head of a send in pieces has ended as the request says: `then` is called
/// once all of it has.
void agpu__mpi_pieces_head_ended(agpu__mpi_request *request,
                                 void (*then)(agpu__mpi_request *request));

/// What `request`, a receive that has not failed, has got is a head: receives
/// the pieces and has them copied to where they belong, and calls `then` once
/// all of it is there.
void agpu__mpi_pieces_receive(agpu__mpi_request *request,
                              void (*then)(agpu__mpi_request *request));

//===----------------------------------------------------------------------===//
// A message in pieces, from inside
//===----------------------------------------------------------------------===//

enum {
  AGPU__MPI_MOST_PIECES = 256,
  /// Messages that a rank sends in pieces at a time.
  AGPU__MPI_PIECED_SENDS = 128,
  AGPU__MPI_COPY_STREAMS = 2
};

/// A part of a copy to or from a device, in the order of the bytes.
typedef struct agpu__mpi_part {
  int64_t end;
  bool is_over;
} agpu__mpi_part;

typedef struct agpu__mpi_pieces agpu__mpi_pieces;

struct agpu__mpi_pieces {
  agpu__mpi_request *request;
  void (*then)(agpu__mpi_request *request); // at the end
  int64_t bytes, piece_bytes;
  int count; // pieces after the head
  int64_t number;
  int32_t peer; // of the world
  char *memory; // of the host: all bytes
  bool owns_memory;
  agpu__mpi_view device; // where they come from or go to; no count: nowhere
  void (*arrived)(agpu__mpi_pieces *of); // of a receive: a piece has
  agpu_stream *streams[AGPU__MPI_COPY_STREAMS];
  void (*may_start)(agpu__mpi_request *request); // of a send; NULL: has

  agpu__mutex lock;
  int open
      AGPU__GUARDED_BY(lock); // head, pieces and copies that have not ended
  bool has_begun AGPU__GUARDED_BY(lock);
  bool is_empty AGPU__GUARDED_BY(lock); // pieces are, or one that was received
  int submitted AGPU__GUARDED_BY(lock);
  agpu_status failure AGPU__GUARDED_BY(lock);
  int code AGPU__GUARDED_BY(lock);
  // Bytes from the beginning that are there: of a send, from the device, and of
  // a receive, from the other rank.
  int64_t there AGPU__GUARDED_BY(lock);
  int64_t copied AGPU__GUARDED_BY(lock); // of a receive: enqueued so far
  int copies AGPU__GUARDED_BY(lock);
  agpu__mpi_part parts[AGPU__MPI_MOST_PIECES + 1] AGPU__GUARDED_BY(lock);
  agpu__mpi_dim dims[]; // of a part of `device`, while it is enqueued
};

/// A message of `bytes`, cut in the same way on both sides. Its head is open,
/// and its pieces are.
agpu__mpi_pieces *agpu__mpi_pieces_create(agpu__mpi_request *request,
                                          int64_t bytes);

/// A number that no message which this rank sends has, or -1.
int64_t agpu__mpi_pieces_take_number(void);

/// Where piece `index` begins; of the last and one, where it ends.
int64_t agpu__mpi_piece_begin(const agpu__mpi_pieces *of, int index);

/// Sends or receives piece `index`.
void agpu__mpi_piece_submit(agpu__mpi_pieces *of, int index);

/// So many of those that are open have ended: with the last, `of` has.
void agpu__mpi_pieces_ended(agpu__mpi_pieces *of, int count);

#endif // ASYNC_GPU_RUNTIME_MPI_PIECES_H
