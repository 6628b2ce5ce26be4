//===- view.h - Elements of a memref as MPI takes them -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_VIEW_H
#define ASYNC_GPU_RUNTIME_MPI_VIEW_H

#include "mpi/library.h"

typedef struct agpu__mpi_dim {
  int64_t size;   ///< at least 2
  int64_t stride; ///< bytes
} agpu__mpi_dim;

/// The elements of a memref in the order of its indices, as runs of `run`
/// values of `type` that are contiguous, in `rank` dimensions, outer ones
/// first. Dimensions that continue each other are one.
typedef struct agpu__mpi_view {
  char *pointer;
  int32_t type;                    ///< agpu_mpi_type
  int64_t value_bytes, run, count; ///< `count`: of values in all runs
  int64_t rank;
  agpu__mpi_dim *dims; ///< the caller's
} agpu__mpi_view;

/// `dims` has room for all dimensions of `elements`.
agpu__mpi_view agpu__mpi_view_of(const agpu_mpi_elements *elements,
                                 agpu__mpi_dim *dims);

/// What a call of MPI takes for the view: `count` values of `type`. Where they
/// are not contiguous, or are more than an int says, `type` is one of its
/// own, and `owned`: agpu__mpi_type_free gives it back, which a call that has
/// begun does not mind.
typedef struct agpu__mpi_typed {
  agpu__mpi_handle type;
  int count;
  bool owned;
} agpu__mpi_typed;

/// The library's code. Makes calls of it.
int agpu__mpi_type_make(const agpu__mpi_library *library,
                        const agpu__mpi_view *view, agpu__mpi_typed *out);
void agpu__mpi_type_free(const agpu__mpi_library *library,
                         agpu__mpi_typed *typed);

/// Bytes of all elements, contiguous.
static inline int64_t agpu__mpi_view_bytes(const agpu__mpi_view *view) {
  return view->count * view->value_bytes;
}

/// The same elements, contiguous at `packed`.
agpu__mpi_view agpu__mpi_view_packed(const agpu__mpi_view *view, void *packed);

/// Where a part of the view may end that has at least `wanted` of its bytes, or
/// all of them: after an index of the first dimension.
int64_t agpu__mpi_view_part_end(const agpu__mpi_view *view, int64_t wanted);

/// The part between such ends, or 0. `dims` has room for the view's.
agpu__mpi_view agpu__mpi_view_part(const agpu__mpi_view *view, int64_t begin,
                                   int64_t end, agpu__mpi_dim *dims);

/// Copies `bytes` of the elements as they are when contiguous, from byte
/// `first` on, from the view or to it.
void agpu__mpi_view_read(const agpu__mpi_view *view, int64_t first, void *to,
                         int64_t bytes);
void agpu__mpi_view_write(const agpu__mpi_view *view, int64_t first,
                          const void *from, int64_t bytes);

/// Copies the elements to memory where they are contiguous, or from there.
void agpu__mpi_view_pack(const agpu__mpi_view *view, void *packed);
void agpu__mpi_view_unpack(const agpu__mpi_view *view, const void *packed);

#endif // ASYNC_GPU_RUNTIME_MPI_VIEW_H
