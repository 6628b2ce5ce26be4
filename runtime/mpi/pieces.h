//===- pieces.h - Long messages of device memory, in pieces -  *- C -*-===//
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

#include "mpi/request.h"

/// Requests of pieces go to `submit`. Before any is made.
void agpu__mpi_pieces_submit_to(void (*submit)(agpu__mpi_request *request));

/// Has all ranks agree on how long a piece is, together; the library's code.
/// `status` is set where the setting is malformed.
int agpu__mpi_pieces_init(agpu_status *out_status);

/// Whether `request`, a send, goes in pieces: then this begins to copy it.
/// `on_device`: its memory is a device's, and `staged`: the library does not
/// take that. `then` is called once, with the request, when the first piece may
/// be sent, or with its `failure` set. Any thread.
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

/// Whether what `request`, a receive that has not failed, has got is the head
/// of a message in pieces. Then this receives the others and has them copied to
/// where they belong, and calls `then` once all of it is there.
bool agpu__mpi_pieces_receive(agpu__mpi_request *request,
                              void (*then)(agpu__mpi_request *request));

#endif // ASYNC_GPU_RUNTIME_MPI_PIECES_H
