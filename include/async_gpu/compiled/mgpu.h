//===- mgpu.h - Upstream's GPU ABI ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that upstream's gpu-to-llvm and its translation of gpu.binary
// call, under their own names and with their own signatures: the runtime takes
// the place of libmlir_cuda_runtime as far as modules, launches, streams,
// events, memory, copies, fills, host registration, tensor maps and the choice
// of a device go. Sparse matrices and the like are not here.
//
// Handles are the driver's (CUstream and so on), as upstream's are, so that a
// program can pass them to libraries. What differs:
//
//   - A call that fails ends the process with one message and exit status 1;
//     upstream prints a line and goes on.
//   - Streams and events come from the runtime's pools and go back there;
//     functions are looked up once. Programs that create a stream per launch
//     make no such call of the driver after warm-up.
//   - The null stream is a stream of the pool, and the call waits until it is
//     idle.
//   - Memory is kept by the runtime when it is freed, and used again once the
//     work on the freeing call's stream so far is done. Freeing does not wait
//     for other streams, as cuMemFree does.
//   - A grid with a size of zero is no launch, zero bytes are no copy, no fill
//     and no registration.
//
// The emulated device runs native images only (kernel.h), not PTX or a cubin:
// there, mgpuModuleLoad of what upstream embeds is an error that says so.
//
// All functions are thread safe; the calls that release something are allowed
// after the runtime's end, and do nothing then.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_MGPU_H
#define ASYNC_GPU_COMPILED_MGPU_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The driver's handles, under the names that cuda.h gives what they point to.
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

/// Loads an image: for a CUDA device PTX, a cubin or a fat binary, for the
/// emulated one an agpu_native_image. `size` is not looked at. The second form
/// is for PTX, and tells the driver's compiler a level from 0 to 4; programs
/// that newer versions of MLIR have lowered pass a size after it, which is not
/// looked at either.
AGPU_EXPORT struct CUmod_st *mgpuModuleLoad(void *data, size_t size);
AGPU_EXPORT struct CUmod_st *mgpuModuleLoadJIT(void *data, int opt_level);
AGPU_EXPORT void mgpuModuleUnload(struct CUmod_st *module);

/// The kernel of that name; good until the module is unloaded.
AGPU_EXPORT struct CUfunc_st *mgpuModuleGetFunction(struct CUmod_st *module,
                                                    const char *name);

/// Launches a kernel. Sizes are in blocks, threads and bytes. `params` points
/// to one pointer per parameter; the values are read before this returns.
AGPU_EXPORT void mgpuLaunchKernel(struct CUfunc_st *function, intptr_t grid_x,
                                  intptr_t grid_y, intptr_t grid_z,
                                  intptr_t block_x, intptr_t block_y,
                                  intptr_t block_z, int32_t shared_bytes,
                                  struct CUstream_st *stream, void **params,
                                  void **extra, size_t param_count);

/// The same with clusters of blocks.
AGPU_EXPORT void
mgpuLaunchClusterKernel(struct CUfunc_st *function, intptr_t cluster_x,
                        intptr_t cluster_y, intptr_t cluster_z, intptr_t grid_x,
                        intptr_t grid_y, intptr_t grid_z, intptr_t block_x,
                        intptr_t block_y, intptr_t block_z,
                        int32_t shared_bytes, struct CUstream_st *stream,
                        void **params, void **extra, size_t param_count);

/// Borrows a stream, and gives it back; work on it goes on. Giving back what
/// was not borrowed is an error.
AGPU_EXPORT struct CUstream_st *mgpuStreamCreate(void);
AGPU_EXPORT void mgpuStreamDestroy(struct CUstream_st *stream);

/// Blocks until the stream is idle, or the event's work is done.
AGPU_EXPORT void mgpuStreamSynchronize(struct CUstream_st *stream);
AGPU_EXPORT void mgpuEventSynchronize(struct CUevent_st *event);

/// Later work on `stream` waits for what `event` recorded last.
AGPU_EXPORT void mgpuStreamWaitEvent(struct CUstream_st *stream,
                                     struct CUevent_st *event);

/// Borrows an event, and gives it back.
AGPU_EXPORT struct CUevent_st *mgpuEventCreate(void);
AGPU_EXPORT void mgpuEventDestroy(struct CUevent_st *event);
AGPU_EXPORT void mgpuEventRecord(struct CUevent_st *event,
                                 struct CUstream_st *stream);

/// Memory on the device, or shared with the host, that any stream can use when
/// this returns; NULL for zero bytes.
AGPU_EXPORT void *mgpuMemAlloc(uint64_t bytes, struct CUstream_st *stream,
                               bool host_shared);
AGPU_EXPORT void mgpuMemFree(void *pointer, struct CUstream_st *stream);

/// Copies in any direction.
AGPU_EXPORT void mgpuMemcpy(void *target, void *source, size_t bytes,
                            struct CUstream_st *stream);

/// Fills `count` elements of 16 or 32 bits.
AGPU_EXPORT void mgpuMemset16(void *target, unsigned short value, size_t count,
                              struct CUstream_st *stream);
AGPU_EXPORT void mgpuMemset32(void *target, unsigned int value, size_t count,
                              struct CUstream_st *stream);

/// Makes host memory known to the device, and undoes it: at once. The second
/// forms take a ranked memref's descriptor, whose elements are contiguous.
AGPU_EXPORT void mgpuMemHostRegister(void *pointer, uint64_t bytes);
AGPU_EXPORT void mgpuMemHostUnregister(void *pointer);
AGPU_EXPORT void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                                           int64_t element_bytes);
AGPU_EXPORT void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                             int64_t element_bytes);

/// The default device of the calling thread: new streams, events, memory and
/// modules are on it. The other calls are about the device of what they name.
/// Ends the process where there is no such device.
AGPU_EXPORT void mgpuSetDefaultDevice(int32_t device);

/// Makes a tensor map, as cuTensorMapEncodeTiled does. `map` is aligned to 64
/// bytes and has 128.
AGPU_EXPORT void
mgpuTensorMapEncodeTiled(void *map, int32_t type, uint32_t rank, void *address,
                         const uint64_t *sizes, const uint64_t *strides,
                         const uint32_t *box, const uint32_t *steps,
                         int32_t interleave, int32_t swizzle, int32_t promotion,
                         int32_t fill);

/// The same of a ranked memref with 1 to 5 dimensions, whose descriptor this
/// is, and boxes of `box` elements, the outermost dimension first. Returns the
/// map in device memory, which is there until the runtime ends; equal maps
/// share it.
AGPU_EXPORT void *
mgpuTensorMapEncodeTiledMemref(int64_t rank, void *descriptor, int64_t type,
                               int64_t interleave, int64_t swizzle,
                               int64_t promotion, int64_t fill, int64_t *box);

/// Makes a tensor map of pixels, as cuTensorMapEncodeIm2col does; the corners
/// are those of the width, the height and the depth, in this order. Upstream
/// has no such function.
AGPU_EXPORT void
mgpuTensorMapEncodeIm2col(void *map, int32_t type, uint32_t rank, void *address,
                          const uint64_t *sizes, const uint64_t *strides,
                          const int32_t *lower, const int32_t *upper,
                          uint32_t channels, uint32_t pixels,
                          const uint32_t *steps, int32_t interleave,
                          int32_t swizzle, int32_t promotion, int32_t fill);

/// The same of a memref with 3 to 5 dimensions, from images to channels, as
/// mgpuTensorMapEncodeTiledMemref; `lower` and `upper` have the corners of the
/// dimensions between these, and `step` the step of each, the outermost first.
AGPU_EXPORT void *mgpuTensorMapEncodeIm2colMemref(
    int64_t rank, void *descriptor, int64_t type, int64_t interleave,
    int64_t swizzle, int64_t promotion, int64_t fill, int64_t channels,
    int64_t pixels, int64_t *lower, int64_t *upper, int64_t *step);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILED_MGPU_H
