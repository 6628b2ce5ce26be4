//===- stream.h - Work on a device, in order --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region that holds GPU ops has a stream, lent by a pool: one of its own, or
// that of a region which it continues. Work enqueued on it runs in order;
// nothing here blocks a host thread.
//
// Errors are kept by the lent stream: once a call on it has failed, or it was
// made to wait for an object in ERROR, every later call on it does nothing,
// and agpu_object_set_enqueued / agpu_stream_record hand the first error on.
// So compiled code needs no check after each call, and nothing runs after a
// failure.
//
// `location` parameters are "file:line:col" of the op, or NULL; they must live
// as long as the program (compiled programs pass constants).
//
// A stream is used by one thread at a time (a region is one thread of control,
// on whatever threads it resumes); different streams are independent.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_STREAM_H
#define ASYNC_GPU_STREAM_H

#include "async_gpu/compiled/kernel.h"
#include "async_gpu/object.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A stream on loan.
typedef struct agpu_stream agpu_stream;

/// Lends a stream of the calling thread's default device (device.h). Starts the
/// runtime and the device when they are not running. Never NULL: where there is
/// no such device, the result carries the error. Which of the device's streams
/// it is, is settled when the first work comes.
AGPU_EXPORT agpu_stream *agpu_stream_acquire(const char *location);

/// Before anything is enqueued on `stream`: its work has that priority, as
/// cuStreamCreateWithPriority takes it. 0 is the default, less is more urgent;
/// what a device does not know is taken for the nearest that it does. A hint:
/// no order of work and no result depends on it.
AGPU_EXPORT void agpu_stream_set_priority(agpu_stream *stream,
                                          int32_t priority);

/// Gives the stream back. Work on it goes on; the pool hands the underlying
/// stream out again at once, after that work.
AGPU_EXPORT void agpu_stream_release(agpu_stream *stream);

/// Makes later work on `stream` wait for `object`, which is not PENDING
/// (await that first): nothing to do for READY and for work on the same
/// stream or work that the stream waits for already, one event wait otherwise.
/// An object in ERROR puts the stream in error with the object's status.
AGPU_EXPORT void agpu_stream_wait(agpu_stream *stream, agpu_object *object);

/// The same at the start of a region that continues the one that `object`
/// is the end of: where nothing was enqueued on `stream` yet, it becomes that
/// region's stream, which then needs no event. Where that has been lent to
/// another region since, or is another device's, this is agpu_stream_wait.
/// `is_last`: nothing else ever waits for `object`.
AGPU_EXPORT void agpu_stream_continue(agpu_stream *stream, agpu_object *object,
                                      bool is_last);

/// A new token (one reference, the caller's) after all work on `stream` so
/// far: ENQUEUED, or READY where there was none. Where the stream is in error
/// it is ERROR once that work is over; another stream that waits for it is in
/// error at once.
AGPU_EXPORT agpu_object *agpu_stream_record(agpu_stream *stream);

/// PENDING → ENQUEUED after all work on `stream` so far, or READY where there
/// was none; where the stream is in error, as agpu_stream_record. A value's
/// storage has been written before. Drops the producer's reference of `object`,
/// as mlirAsyncRuntimeEmplaceToken does.
AGPU_EXPORT void agpu_object_set_enqueued(agpu_object *object,
                                          agpu_stream *stream);

/// Around a call with the attribute `async_gpu.enqueue`, on the calling thread:
/// compiled code makes `stream` the current one, and then `outer` again, which
/// is what agpu_stream_enter returned.
AGPU_EXPORT agpu_stream *agpu_stream_enter(agpu_stream *stream);
AGPU_EXPORT void agpu_stream_leave(agpu_stream *stream, agpu_stream *outer,
                                   const char *location);

/// In a function called so: the stream that its work belongs on, lent until it
/// returns; NULL anywhere else. Work that it enqueues with the functions of
/// this header, or with a library that takes a CUstream (agpu_current_stream),
/// runs after what the region enqueued before the call and ahead of what it
/// enqueues afterwards, and counts for the region's token.
AGPU_EXPORT agpu_stream *agpu_stream_current(void);

/// The driver's stream of agpu_stream_current, a CUstream whose context is
/// current. NULL outside of such a call, and where the stream is in error: the
/// callee then enqueues nothing.
AGPU_EXPORT void *agpu_current_stream(void);

/// Puts the stream into error with `message` unless it is in error already.
AGPU_EXPORT void agpu_stream_fail(agpu_stream *stream, const char *message,
                                  const char *location);

/// Launches a kernel. Sizes are in blocks, threads and bytes; any grid size of
/// zero makes the launch a no-op. `params` points to one pointer per kernel
/// parameter; the values are read before this returns.
AGPU_EXPORT void agpu_launch(agpu_stream *stream, agpu_kernel_desc *kernel,
                             int64_t grid_x, int64_t grid_y, int64_t grid_z,
                             int64_t block_x, int64_t block_y, int64_t block_z,
                             int64_t shared_bytes, void **params,
                             const char *location);

/// The same with what few launches have: blocks in clusters (of so many along
/// x, y and z; 1 along all: none), and a stream of the program's own, a
/// CUstream of the same device or NULL. The kernel then runs there, after the
/// work on `stream` so far and ahead of what follows on it.
AGPU_EXPORT void
agpu_launch_with(agpu_stream *stream, agpu_kernel_desc *kernel, int64_t grid_x,
                 int64_t grid_y, int64_t grid_z, int64_t block_x,
                 int64_t block_y, int64_t block_z, int64_t cluster_x,
                 int64_t cluster_y, int64_t cluster_z, int64_t shared_bytes,
                 void *own_stream, void **params, const char *location);

/// The memory of `module` and of its kernels' descriptors is about to go away,
/// or to hold something else: all devices unload it. No work of its kernels is
/// in flight, nor any host function of its code (agpu_host_call). Compiled code
/// calls this where it is released itself. Does nothing while the process ends.
AGPU_EXPORT void agpu_module_release(const agpu_module_desc *module);

/// For a kernel's parameter: a copy of a memref's ranked descriptor (two
/// pointers, the offset, `rank` sizes, `rank` strides; read before this
/// returns) in memory that the device addresses too. Freed by agpu_dealloc
/// after the launch. NULL where the stream is in error.
AGPU_EXPORT void *agpu_descriptor_copy(agpu_stream *stream, int64_t rank,
                                       const void *descriptor,
                                       const char *location);

/// Device memory, `bytes` (0 is allowed), usable by work after this call;
/// NULL where the stream is in error. `host_shared`: memory that host and
/// device both address.
AGPU_EXPORT void *agpu_alloc(agpu_stream *stream, int64_t bytes,
                             bool host_shared, const char *location);

/// Frees memory from agpu_alloc, of any device, after all work on `stream` so
/// far.
AGPU_EXPORT void agpu_dealloc(agpu_stream *stream, void *pointer,
                              const char *location);

/// Copies `bytes` in any direction (host or any device on either side). Memory
/// that overlaps is an error, except that a copy onto itself does nothing.
AGPU_EXPORT void agpu_memcpy(agpu_stream *stream, void *target,
                             const void *source, int64_t bytes,
                             const char *location);

/// Fills `count` elements of `element_bytes` (1, 2, 4 or 8) with the low bits
/// of `pattern`.
AGPU_EXPORT void agpu_memset(agpu_stream *stream, void *target,
                             uint64_t pattern, int64_t element_bytes,
                             int64_t count, const char *location);

/// Copies between memrefs of any layout: `rank` (up to 64) sizes and strides of
/// each side, in elements of `element_bytes`, read before this returns. What
/// is contiguous on both sides is one copy; the rest is one copy for each
/// row. Shapes that differ and memory that overlaps are errors, except that
/// copying a view onto itself does nothing.
AGPU_EXPORT void
agpu_memcpy_strided(agpu_stream *stream, void *target, const void *source,
                    int64_t rank, const int64_t *target_sizes,
                    const int64_t *target_strides, const int64_t *source_sizes,
                    const int64_t *source_strides, int64_t element_bytes,
                    const char *location);

/// Fills a memref of any layout, as agpu_memset fills one without strides.
AGPU_EXPORT void
agpu_memset_strided(agpu_stream *stream, void *target, uint64_t pattern,
                    int64_t rank, const int64_t *sizes, const int64_t *strides,
                    int64_t element_bytes, const char *location);

/// Makes `bytes` of host memory at `pointer` known to the device, and undoes
/// it (after the work on `stream` so far has completed).
AGPU_EXPORT void agpu_host_register(agpu_stream *stream, void *pointer,
                                    int64_t bytes, const char *location);
AGPU_EXPORT void agpu_host_unregister(agpu_stream *stream, void *pointer,
                                      const char *location);

/// The same for the memory of a memref whose elements are contiguous:
/// `descriptor` is its ranked descriptor (two pointers, the offset, `rank`
/// sizes, `rank` strides), read before this returns.
AGPU_EXPORT void agpu_host_register_memref(agpu_stream *stream, int64_t rank,
                                           void *descriptor,
                                           int64_t element_bytes,
                                           const char *location);
AGPU_EXPORT void agpu_host_unregister_memref(agpu_stream *stream, int64_t rank,
                                             void *descriptor,
                                             int64_t element_bytes,
                                             const char *location);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_STREAM_H
