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
// freed blocks are kept, per device, and used again once the work before the
// free is done. What is kept is bounded (ASYNC_GPU_KEEP_BYTES), and given back
// when the device has not been used for a while.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_MEMORY_MEMORY_H
#define ASYNC_GPU_RUNTIME_GPU_MEMORY_MEMORY_H

#include "gpu/stream/event.h"

typedef struct agpu__block_pool agpu__block_pool;
typedef struct agpu__host_memory agpu__host_memory;

/// A pool without blocks that keeps `keep_bytes` in free ones; with `exact`,
/// for a driver that checks memory: none, of any size but what is asked for.
agpu__block_pool *agpu__block_pool_create(size_t keep_bytes, bool exact);

/// Gives all blocks back to the driver (of an exact pool those that are freed)
/// and leaves the memory. No other thread may call the driver any more; the
/// device has been entered.
void agpu__block_pool_abandon(agpu__block_pool *pool,
                              const agpu__device *device);

/// The same, and frees the pool (NULL: nothing). No other thread is in it.
void agpu__block_pool_destroy(agpu__block_pool *pool,
                              const agpu__device *device);

/// If no block was asked for since the last call: gives those back whose work
/// is done. False otherwise. Any thread; enters the device.
bool agpu__block_pool_trim(const agpu__device *device);

/// A block of at least `bytes` (not 0) that work on `stream` (NULL: any) of the
/// device may use from now on: one that was freed, or a new one. Any thread;
/// the device has been entered.
CUresult agpu__block_alloc(const agpu__device *device,
                           const agpu__pool_stream *stream, size_t bytes,
                           bool host_shared, CUdeviceptr *out_pointer);

/// Whether `pointer` is a block in use of the pool. Any thread.
bool agpu__block_pool_has(agpu__block_pool *pool, CUdeviceptr pointer);

/// Frees the block at `pointer` of the device after `event` (one reference
/// taken over; of any device; NULL: nothing that uses it is in flight).
void agpu__block_free(const agpu__device *device, CUdeviceptr pointer,
                      agpu__event *event);

/// The host memory that devices know of (host_memory.c). Abandoning it makes
/// the devices forget what is still registered; no other thread may call the
/// driver any more. Destroying it frees it, too; no other thread is in it.
agpu__host_memory *agpu__host_memory_create(void);

/// Registers a range, or counts it where it is registered. An error names
/// `location`. The device has been entered; any thread.
agpu_status agpu__host_memory_register(const agpu__device *device,
                                       void *pointer, int64_t bytes,
                                       const char *location);

/// Counts a range down, and unregisters it at once when it was the last time.
CUresult agpu__host_memory_unregister(const agpu__device *device,
                                      void *pointer);

/// The same, but unregisters it once `event` has completed or failed;
/// `*out_last` says whether it was the last time. INVALID_ARGUMENT where it is
/// not registered. Any thread.
agpu_status agpu__host_memory_unregister_behind(agpu__event *event,
                                                void *pointer,
                                                const char *location,
                                                bool *out_last);

void agpu__host_memory_abandon(agpu__host_memory *memory);
void agpu__host_memory_destroy(agpu__host_memory *memory);

/// The memory that a memref's elements take (memref.c): `descriptor` is its
/// ranked descriptor. False where they do not lie side by side.
bool agpu__memref_is_dense(const void *descriptor, int64_t rank,
                           int64_t element_bytes, char **out_pointer,
                           int64_t *out_bytes);

// The driver's memory pool (ordered.c): memory in the order of a stream is of
// the device's default pool, which other libraries of the process use, too.
// Left as it is, it gives all that is free back to the system with each
// synchronisation. The device has been entered. Where the driver refuses, pools
// are as they were: nothing depends on it.

/// Has the pool hold onto ASYNC_GPU_KEEP_BYTES of free memory, unless it holds
/// onto more already.
void agpu__ordered_open(agpu__device *device);

/// Has it give back what is free. May wait for the device.
void agpu__ordered_trim(const agpu__device *device);

/// Puts back what agpu__ordered_open has found, unless another has set it
/// since.
void agpu__ordered_close(const agpu__device *device);

#endif // ASYNC_GPU_RUNTIME_GPU_MEMORY_MEMORY_H
