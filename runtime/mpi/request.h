//===- request.h - What is asked of MPI -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_REQUEST_H
#define ASYNC_GPU_RUNTIME_MPI_REQUEST_H

#include "async/object.h"
#include "mpi/view.h"

typedef struct agpu__mpi_request agpu__mpi_request;

/// How the start of a request has gone.
typedef enum agpu__mpi_started {
  AGPU__MPI_RUNS, ///< `native` is to be tested
  AGPU__MPI_DONE, ///< it has ended: `end` is how
} agpu__mpi_started;

/// An operation. `start` calls the library.
typedef struct agpu__mpi_operation {
  const char *name; ///< in messages
  agpu__mpi_started (*start)(agpu__mpi_request *request);
  /// Once it has ended without an error, or NULL.
  void (*finish)(agpu__mpi_request *request);
  /// In place of the end of its object, which it has not, or NULL.
  void (*end)(agpu__mpi_request *request);
  bool has_peer; ///< a message
  bool is_receive;
  bool is_ordered;  ///< starts after those that were submitted before
  bool is_blocking; ///< the call of the library may take as long as it likes
  bool is_last;     ///< after all others
  bool needs_mpi;   ///< it is an error before mpi.init and after mpi.finalize
} agpu__mpi_operation;

/// The class of an error that a program can not be left to look at.
#define AGPU__MPI_WITHOUT_CODE (-1)

/// What storage of its object holds: values that compiled code reads at its
/// beginning, and the class of the error.
typedef struct agpu__mpi_result {
  union {
    int32_t number;
    int64_t comm;
  } value;
  int32_t class;
} agpu__mpi_result;

/// One operation on its way, from a call of compiled code to the end of its
/// object.
struct agpu__mpi_request {
  agpu__mpi_request *next;
  const agpu__mpi_operation *operation;
  agpu_object *object; ///< the producer's reference
  const char *location;
  int64_t comm;
  int32_t peer, tag; ///< or color, key; reduction
  bool coded;        ///< an error of the start is none of the token
  bool outside;      ///< MPI is not there: a failure without a code
  bool lacks_rest;   ///< the sender could not send all pieces
  agpu__mpi_handle native;
  agpu__mpi_ended end; ///< as the library says
  agpu_status failure; ///< of ours, instead of a code
  agpu__mpi_view from, to;
  agpu__mpi_view target; ///< where `from` or `to` was before it was staged
  void *packed;          ///< of an operation
  void *staged;          ///< of staging.c
  bool is_ready;         ///< progress.c: may start
  struct agpu__mpi_pieces *pieces; ///< pieces.c: NULL, or it goes in pieces
  int piece;                       ///< of a piece: which
  agpu__mpi_dim dims[];
};

/// A new request with room for the dimensions of these, which may be NULL, and
/// with an object that has another reference, the caller's: `*out_object`.
agpu__mpi_request *
agpu__mpi_request_create(const agpu__mpi_operation *operation,
                         const agpu_mpi_elements *from,
                         const agpu_mpi_elements *to, const char *location,
                         agpu_object **out_object);

/// "mpi.recv of 3 values from rank 1, tag 7": into `buffer`.
void agpu__mpi_request_describe(const agpu__mpi_request *request, char *buffer,
                                size_t size);

/// Ends the object as `end` and `failure` say, and the request with it. Any
/// thread.
void agpu__mpi_request_end(agpu__mpi_request *request);

#endif // ASYNC_GPU_RUNTIME_MPI_REQUEST_H
