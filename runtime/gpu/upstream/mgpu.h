//===- mgpu.h - What upstream's ABI is built on -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files that implement async_gpu/compiled/mgpu.h. Their functions
// have no way to hand an error on, so one ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_UPSTREAM_MGPU_H
#define ASYNC_GPU_RUNTIME_GPU_UPSTREAM_MGPU_H

#include "async_gpu/compiled/mgpu.h"
#include "gpu/stream/pool.h"

/// The calling thread's default device, started and entered. Ends the process
/// where there is none.
const agpu__device *agpu__mgpu_enter(void);

/// Ends the process if `result` is an error. `what` in printf form says what
/// was being done.
void agpu__mgpu_check(const agpu__device *device, CUresult result,
                      const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/// Ends the process with `status` (taken over), unless it is NULL.
void agpu__mgpu_check_status(agpu_status status);

/// A stream that a caller named, for one call that enqueues.
typedef struct agpu__mgpu_stream {
  const agpu__device *device;
  CUstream handle;
  agpu__pool_stream *pool; ///< NULL: the caller's own
  bool is_null;            ///< the caller named none
} agpu__mgpu_stream;

/// Resolves the caller's stream and enters its device.
agpu__mgpu_stream agpu__mgpu_begin(CUstream stream);

/// After the driver's call: counts it, and waits if the caller named no stream.
void agpu__mgpu_end(agpu__mgpu_stream *stream);

#endif // ASYNC_GPU_RUNTIME_GPU_UPSTREAM_MGPU_H
