//===- library.h - The MPI library as a table ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime calls of MPI, the same for Open MPI and for MPICH and those
// that have MPICH's binary interface. No header of either is needed to build:
// the project declares the functions it calls, once for each (abi.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_LIBRARY_H
#define ASYNC_GPU_RUNTIME_MPI_LIBRARY_H

#include "async_gpu/compiled/mpi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A communicator, request, type, ...: Open MPI's pointer or MPICH's int.
typedef uintptr_t agpu__mpi_handle;

/// How many threads may call the library.
enum {
  AGPU__MPI_THREAD_FUNNELED = 1,
  AGPU__MPI_THREAD_SERIALIZED = 2,
  AGPU__MPI_THREAD_MULTIPLE = 3,
};

/// How a request has ended.
typedef struct agpu__mpi_ended {
  int code;
  int64_t bytes; ///< received, as far as there is something to receive
  int source;    ///< of what was received: a rank of the communicator
  int tag;       ///< of what was received
} agpu__mpi_ended;

/// Requests that are tested in one call. Ends come in few at a time.
enum { AGPU__MPI_MOST_TESTED = 64 };

/// Functions return the library's codes; 0 is success. Each is MPI's of that
/// name, and what it says of threads holds.
typedef struct agpu__mpi_library {
  const char *name;
  size_t handle_bytes; ///< of a type in an array
  agpu__mpi_handle world, errors_return;
  /// What a send gives that has ended and left nothing to free, where that is
  /// one request for all; else 0.
  agpu__mpi_handle request_empty;
  int any_source, any_tag, proc_null;
  int truncate;         ///< the code of a message that is too long
  bool has_other_users; ///< the process had the library, or may have
  const bool *yields;   ///< in a test in vain; NULL: it never does

  int (*initialized)(int *out_flag);
  int (*finalized)(int *out_flag);
  int (*init_thread)(int required, int *out_provided);
  int (*query_thread)(int *out_provided);
  int (*finalize)(void);
  int (*abort)(agpu__mpi_handle comm, int status);

  int (*comm_rank)(agpu__mpi_handle comm, int *out_rank);
  int (*comm_size)(agpu__mpi_handle comm, int *out_size);
  int (*comm_dup)(agpu__mpi_handle comm, agpu__mpi_handle *out_comm);
  int (*comm_split)(agpu__mpi_handle comm, int color, int key,
                    agpu__mpi_handle *out_comm);
  /// Of the ranks of `comm` on this machine.
  int (*comm_split_shared)(agpu__mpi_handle comm, agpu__mpi_handle *out_comm);
  int (*comm_free)(agpu__mpi_handle comm);
  int (*comm_set_errhandler)(agpu__mpi_handle comm, agpu__mpi_handle handler);
  /// The rank in the world of a rank of `comm`.
  int (*world_rank)(agpu__mpi_handle comm, int rank, int *out_rank);

  int (*isend)(const void *from, int count, agpu__mpi_handle type, int to,
               int tag, agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  int (*issend)(const void *from, int count, agpu__mpi_handle type, int to,
                int tag, agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  int (*irecv)(void *to, int count, agpu__mpi_handle type, int from, int tag,
               agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  /// `from` may be NULL: it is `to`.
  int (*iallreduce)(const void *from, void *to, int count,
                    agpu__mpi_handle type, agpu__mpi_handle op,
                    agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  /// Of all ranks' `from`, rank i gets `counts`[i] values, behind those of the
  /// ranks before it. `counts` lives until the request has ended.
  int (*ireduce_scatter)(const void *from, void *to, const int *counts,
                         agpu__mpi_handle type, agpu__mpi_handle op,
                         agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  int (*ibarrier)(agpu__mpi_handle comm, agpu__mpi_handle *out_request);
  /// Arrays of one element for each rank, that live until the request has
  /// ended; those of types are written by `put`. Offsets are bytes.
  int (*ialltoallw)(const void *from, const int *from_counts,
                    const int *from_offsets, const void *from_types, void *to,
                    const int *to_counts, const int *to_offsets,
                    const void *to_types, agpu__mpi_handle comm,
                    agpu__mpi_handle *out_request);

  /// Writes handle `index` of an array of types.
  void (*put)(void *handles, int index, agpu__mpi_handle handle);
  /// Of AGPU__MPI_MOST_TESTED requests at most. `*out_count` is how many have
  /// ended: their `indices`, and how.
  int (*testsome)(int count, const agpu__mpi_handle *requests, int *out_count,
                  int *indices, agpu__mpi_ended *ends);
  /// Whether one request has ended, or the call has failed: `*out_end` is how.
  bool (*test)(agpu__mpi_handle *request, agpu__mpi_ended *out_end);

  agpu__mpi_handle types[AGPU_MPI_TYPE_COUNT];
  agpu__mpi_handle reductions[AGPU_MPI_REDUCTION_COUNT];
  /// Makes the handles of AGPU_MPI_OWN_REDUCTIONS, once MPI is initialized.
  int (*make_own_reductions)(agpu__mpi_handle *reductions);
  int (*type_contiguous)(int count, agpu__mpi_handle of,
                         agpu__mpi_handle *out_type);
  /// `count` of type `of`, each `stride` bytes after the one before.
  int (*type_strided)(int count, intptr_t stride, agpu__mpi_handle of,
                      agpu__mpi_handle *out_type);
  /// `a`, and `b` at `offset` bytes.
  int (*type_pair)(agpu__mpi_handle a, agpu__mpi_handle b, intptr_t offset,
                   agpu__mpi_handle *out_type);
  /// `count` of type `of`, at `offset` bytes.
  int (*type_at)(agpu__mpi_handle of, int count, intptr_t offset,
                 agpu__mpi_handle *out_type);
  int (*type_commit)(agpu__mpi_handle *type);
  int (*type_free)(agpu__mpi_handle *type);

  /// The dialect's number of the class of an error.
  int32_t (*error_class)(int code);
  /// Into `buffer` of AGPU__MPI_TEXT_BYTES.
  void (*error_string)(int code, char *buffer);
  /// Whether device pointers may be passed; NULL: it cannot say.
  int (*query_cuda_support)(void);
} agpu__mpi_library;

#define AGPU__MPI_TEXT_BYTES 1024

/// Fills the table from what is loaded in the process and, after that, from
/// `library` (of dlopen). `*out_missing` is a function that is not there; false
/// then.
bool agpu__mpi_openmpi_load(void *library, agpu__mpi_library *out,
                            const char **out_missing);
bool agpu__mpi_mpich_load(void *library, agpu__mpi_library *out,
                          const char **out_missing);

/// The library that ASYNC_GPU_MPI names, or that this process was started with
/// (docs/mpi.md). It stays open.
agpu_status agpu__mpi_library_open(agpu__mpi_library *out);

#endif // ASYNC_GPU_RUNTIME_MPI_LIBRARY_H
