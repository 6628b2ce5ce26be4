//===- copy.h - Copies that hold up no thread ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver that copies to or from memory of the host that it knows nothing of
// (pageable memory, as malloc gives it) does so before its call returns: the
// thread waits for all the work that the stream holds. So such copies go by way
// of a buffer of the stream's that the driver has allocated, piece by piece: a
// host function moves a piece between the host's memory and the buffer, a copy
// of the driver's moves it between the buffer and the device. All of this is
// work on the stream, in its order, so that one buffer does for all of its
// copies, and the host's memory is read and written when the stream gets there.
// Where both sides are the host's, host functions are all there is.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_COPY_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_COPY_H

#include "gpu/driver/rows.h"
#include "gpu/stream/pool.h"

/// A copy that is being enqueued: of one row of bytes, or of several.
typedef struct agpu__copy {
  const agpu__device *device;
  agpu__pool_stream *stream; ///< NULL: one that is not the pool's
  CUstream handle;
  const agpu__op_name *op;
  /// What the copy looks like without the rows that are not enqueued yet.
  enum {
    AGPU__COPY_DIRECT,
    AGPU__COPY_IN,
    AGPU__COPY_OUT,
    AGPU__COPY_HOST
  } way;
  bool is_large; ///< takes the large buffer
  size_t rows;   ///< at most
  struct agpu__copy_batch *batch;
} agpu__copy;

/// One side's rows: a byte of them, the lowest, and how many bytes there are
/// from that one to behind the highest. They are in one allocation.
typedef struct agpu__copy_side {
  CUdeviceptr pointer, low;
  size_t span;
} agpu__copy_side;

static inline agpu__copy_side agpu__copy_side_of(CUdeviceptr row,
                                                 size_t bytes) {
  return (agpu__copy_side){row, row, bytes};
}

/// Prepares for `rows` rows of `bytes` each. The device has been entered.
/// `stream` may be NULL: then the driver copies, however long that takes. `op`
/// and what it names must live until the end.
void agpu__copy_begin(agpu__copy *copy, const agpu__device *device,
                      agpu__pool_stream *stream, CUstream handle,
                      const agpu__copy_side *target,
                      const agpu__copy_side *source, size_t bytes, size_t rows,
                      const agpu__op_name *op);

/// Copies rows, now or at the end.
CUresult agpu__copy_box(agpu__copy *copy, const agpu__box *box);

static inline CUresult agpu__copy_row(agpu__copy *copy, CUdeviceptr target,
                                      CUdeviceptr source, size_t bytes) {
  const agpu__box row = agpu__box_of(target, source, bytes);
  return agpu__copy_box(copy, &row);
}

/// Enqueues what is left, unless `result`, which is returned then, is an error.
CUresult agpu__copy_end(agpu__copy *copy, CUresult result);

/// A stream's buffers (AGPU__COPY_BUFFERS of them), and the pieces of copies
/// that it holds.
typedef struct agpu__staging agpu__staging;
agpu__staging *agpu__staging_create(void);

/// Gives the buffers back to the driver. The stream is idle; the device has
/// been entered.
void agpu__staging_trim(agpu__staging *staging, const agpu__device *device);

/// Frees what is left, after agpu__staging_trim.
void agpu__staging_destroy(agpu__staging *staging);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_COPY_H
