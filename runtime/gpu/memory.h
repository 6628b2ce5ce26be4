//===- memory.h - What device memory keeps ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the driver has stream-ordered allocation, it does all the work. Other
// memory (shared with the host, or on devices without memory pools) is freed
// by calls that wait for the whole device, which would block a thread: so
// freed blocks are kept, and used again once the work before the free is done.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_MEMORY_H
#define ASYNC_GPU_RUNTIME_GPU_MEMORY_H

#include "gpu/event.h"

/// A block of at least `bytes` (not 0) that work on `stream` may use from now
/// on: one that was freed, or a new one. Any thread; the device has been
/// entered.
CUresult agpu__block_alloc(const agpu__device *device,
                           const agpu__pool_stream *stream, size_t bytes,
                           bool host_shared, CUdeviceptr *out_pointer);

/// True if `pointer` is a block in use.
bool agpu__block_is(CUdeviceptr pointer);

/// Frees the block at `pointer` behind `event` (one reference taken over; NULL:
/// nothing that uses it is in flight).
void agpu__block_free(CUdeviceptr pointer, agpu__event *event);

/// Events that free blocks keep. They are no one's: for counters.
int64_t agpu__block_count_events(void);

/// Gives all blocks back to the driver, and forgets registered host memory.
void agpu__memory_reset(const agpu__device *device);

/// The memory that a memref's elements take (host_memref.c): `descriptor` is
/// its ranked descriptor. False where they do not lie side by side.
bool agpu__memref_is_dense(const void *descriptor, int64_t rank,
                           int64_t element_bytes, char **out_pointer,
                           int64_t *out_bytes);

/// Host memory's part of agpu__memory_reset (host_memory.c).
void agpu__host_memory_reset(void);

#endif // ASYNC_GPU_RUNTIME_GPU_MEMORY_H
