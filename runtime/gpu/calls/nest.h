//===- nest.h - Dimensions of strided memory ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a memref of any layout are a nest of dimensions, each with a
// number of elements and a stride. Which dimension is the inner one does not
// matter to a copy or fill: they are put in the order of the target's strides,
// those that continue each other are joined, and what is left inside with
// elements side by side is one row. A contiguous layout is one row.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_CALLS_NEST_H
#define ASYNC_GPU_RUNTIME_GPU_CALLS_NEST_H

#include "async_gpu/stream.h"
#include "gpu/driver/rows.h"

#define AGPU__NEST_MAX_RANK 64

typedef struct agpu__dimension {
  int64_t count;
  int64_t target, source; ///< strides in bytes; the target's is not negative
} agpu__dimension;

typedef struct agpu__nest {
  agpu__dimension dimensions[AGPU__NEST_MAX_RANK]; ///< around a row
  int rank;
  int64_t row_bytes, rows;
  int64_t target, source; ///< of the first row, in bytes from the pointers
} agpu__nest;

/// One row.
static inline void agpu__nest_init(agpu__nest *nest, int64_t bytes) {
  nest->rank = 0;
  nest->row_bytes = bytes;
  nest->rows = 1;
  nest->target = nest->source = 0;
}

/// Fills `*out` in; `what` is what the memory is for. False where there is
/// nothing to do, an error of the loan included, which has been entered.
bool agpu__nest_make(agpu_stream *loan, const char *what, int64_t rank,
                     const int64_t *sizes, const int64_t *target_strides,
                     const int64_t *source_strides, int64_t element_bytes,
                     const char *location, agpu__nest *out);

/// Makes each row one of pieces of `bytes`, the first part of each element.
void agpu__nest_split(agpu__nest *nest, int64_t element_bytes, int64_t bytes);

/// Takes those dimensions out of the nest that one call of the driver does:
/// rows, and of a copy planes, as many as possible. The box has no addresses.
agpu__box agpu__nest_take_box(agpu__nest *nest, bool is_copy);

/// A place in the nest: offsets from the pointers in bytes.
typedef struct agpu__place {
  int64_t indices[AGPU__NEST_MAX_RANK];
  int64_t target, source;
} agpu__place;

agpu__place agpu__nest_begin(const agpu__nest *nest);

/// Goes on to the next row; false after the last.
bool agpu__nest_advance(const agpu__nest *nest, agpu__place *at);

#endif // ASYNC_GPU_RUNTIME_GPU_CALLS_NEST_H
