//===- device_copy.h - Elements between devices and the host -  *- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_MPI_DEVICE_COPY_H
#define ASYNC_GPU_RUNTIME_MPI_DEVICE_COPY_H

#include "async_gpu/stream.h"
#include "mpi/view.h"

/// Whether the view is of memory that the host cannot address. An error where
/// the driver does not say. Any thread.
agpu_status agpu__mpi_is_on_device(const agpu__mpi_view *view,
                                   const char *location, bool *out_answer);

/// Enqueues a copy of the elements of `view` to `packed`, contiguous. No
/// thread waits: they go through the stream's pinned buffers.
void agpu__mpi_copy_out(agpu_stream *stream, const agpu__mpi_view *view,
                        void *packed, const char *location);

/// Enqueues a copy of the first `values` at `packed` to where they belong.
/// What has no value is not touched.
void agpu__mpi_copy_in(agpu_stream *stream, const agpu__mpi_view *view,
                       const void *packed, int64_t values,
                       const char *location);

/// Calls `then` with `argument` on a thread of the executor once what `stream`
/// has so far is over, with the first error of it, which is the callee's.
void agpu__mpi_follow(agpu_stream *stream,
                      void (*then)(void *argument, agpu_status status),
                      void *argument, const char *location);

#endif // ASYNC_GPU_RUNTIME_MPI_DEVICE_COPY_H
