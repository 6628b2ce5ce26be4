//===- sync_calls.c - Copies and fills without a stream -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs call for memory that async-gpu's runtime does not. Copies and
// fills without a stream are on the default stream; a copy that the host takes
// part in is done when the call returns, others may not be ("API
// synchronization behavior").
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"

/// What pitches are multiples of: a GPU's rows begin at such addresses.
#define PITCH_ALIGNMENT ((size_t)512)

CUresult agpu__emu_cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch,
                                      size_t width, size_t height,
                                      unsigned int element_bytes) {
  size_t row, bytes;
  // "The ElementSizeBytes ... may be 4, 8, or 16".
  if (!pitch ||
      (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) ||
      __builtin_add_overflow(width, PITCH_ALIGNMENT - 1, &row))
    return CUDA_ERROR_INVALID_VALUE;
  row &= ~(PITCH_ALIGNMENT - 1);
  if (__builtin_mul_overflow(row, height, &bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = agpu__emu_cuMemAlloc(pointer, bytes);
  if (!result)
    *pitch = row;
  return result;
}

CUresult agpu__emu_cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return agpu__emu_cuMemHostAlloc(pointer, bytes, 0);
}

CUresult agpu__emu_cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer,
                                                void *host,
                                                unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  CUdeviceptr address = (CUdeviceptr)(uintptr_t)host;
  if (!pointer || flags || !agpu__emu_host_memory_is_mapped(address, 1))
    return CUDA_ERROR_INVALID_VALUE;
  *pointer = address;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes,
                                           CUdeviceptr pointer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (agpu__emu_memory_device(pointer) < 0)
    return CUDA_ERROR_NOT_FOUND;
  agpu__emu_allocation in = agpu__emu_memory_bounds(pointer);
  if (base)
    *base = in.base;
  if (bytes)
    *bytes = in.bytes;
  return CUDA_SUCCESS;
}

static bool is_on_device(CUdeviceptr pointer) {
  return agpu__emu_memory_is_near(pointer, 1);
}

/// Memory of the host that no device knows is no device pointer.
static bool is_device_pointer(CUdeviceptr pointer, size_t bytes) {
  return !agpu__emu_memory_is_pageable(pointer, bytes ? bytes : 1);
}

static CUresult wait_unless(bool only_device, CUresult result) {
  return result || only_device ? result : agpu__emu_cuStreamSynchronize(NULL);
}

CUresult agpu__emu_cuMemcpy(CUdeviceptr target, CUdeviceptr source,
                            size_t bytes) {
  return wait_unless(is_on_device(target) && is_on_device(source),
                     agpu__emu_cuMemcpyAsync(target, source, bytes, NULL));
}

CUresult agpu__emu_cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source,
                                        size_t bytes, CUstream stream) {
  return is_device_pointer(target, bytes)
             ? agpu__emu_cuMemcpyAsync(target, (CUdeviceptr)(uintptr_t)source,
                                       bytes, stream)
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source,
                                        size_t bytes, CUstream stream) {
  return is_device_pointer(source, bytes)
             ? agpu__emu_cuMemcpyAsync((CUdeviceptr)(uintptr_t)target, source,
                                       bytes, stream)
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source,
                                        size_t bytes, CUstream stream) {
  return is_device_pointer(target, bytes) && is_device_pointer(source, bytes)
             ? agpu__emu_cuMemcpyAsync(target, source, bytes, stream)
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult agpu__emu_cuMemcpyHtoD_v2(CUdeviceptr target, const void *source,
                                   size_t bytes) {
  return wait_unless(
      false, agpu__emu_cuMemcpyHtoDAsync_v2(target, source, bytes, NULL));
}

CUresult agpu__emu_cuMemcpyDtoH_v2(void *target, CUdeviceptr source,
                                   size_t bytes) {
  return wait_unless(
      false, agpu__emu_cuMemcpyDtoHAsync_v2(target, source, bytes, NULL));
}

CUresult agpu__emu_cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source,
                                   size_t bytes) {
  return agpu__emu_cuMemcpyDtoDAsync_v2(target, source, bytes, NULL);
}

CUresult agpu__emu_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy,
                                      CUstream stream) {
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  // A box of one plane.
  const CUDA_MEMCPY3D box = {
      .srcXInBytes = copy->srcXInBytes,
      .srcY = copy->srcY,
      .srcMemoryType = copy->srcMemoryType,
      .srcHost = copy->srcHost,
      .srcDevice = copy->srcDevice,
      .srcArray = copy->srcArray,
      .srcPitch = copy->srcPitch ? copy->srcPitch
                                 : copy->srcXInBytes + copy->WidthInBytes,
      .srcHeight = copy->srcY + copy->Height,
      .dstXInBytes = copy->dstXInBytes,
      .dstY = copy->dstY,
      .dstMemoryType = copy->dstMemoryType,
      .dstHost = copy->dstHost,
      .dstDevice = copy->dstDevice,
      .dstArray = copy->dstArray,
      .dstPitch = copy->dstPitch ? copy->dstPitch
                                 : copy->dstXInBytes + copy->WidthInBytes,
      .dstHeight = copy->dstY + copy->Height,
      .WidthInBytes = copy->WidthInBytes,
      .Height = copy->Height,
      .Depth = 1,
  };
  return agpu__emu_cuMemcpy3DAsync(&box, stream);
}

static bool is_device_side(unsigned type, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_DEVICE ||
         (type == CU_MEMORYTYPE_UNIFIED && is_on_device(device));
}

CUresult agpu__emu_cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  CUresult result = agpu__emu_cuMemcpy2DAsync_v2(copy, NULL);
  return wait_unless(!result &&
                         is_device_side(copy->srcMemoryType, copy->srcDevice) &&
                         is_device_side(copy->dstMemoryType, copy->dstDevice),
                     result);
}

CUresult agpu__emu_cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  CUresult result = agpu__emu_cuMemcpy3DAsync(copy, NULL);
  return wait_unless(!result &&
                         is_device_side(copy->srcMemoryType, copy->srcDevice) &&
                         is_device_side(copy->dstMemoryType, copy->dstDevice),
                     result);
}

// "The cudaMemset functions are asynchronous with respect to the host except
// when the target is pinned host memory or a Unified Memory region".

CUresult agpu__emu_cuMemsetD8_v2(CUdeviceptr target, unsigned char value,
                                 size_t count) {
  return wait_unless(is_on_device(target),
                     agpu__emu_cuMemsetD8Async(target, value, count, NULL));
}

CUresult agpu__emu_cuMemsetD16_v2(CUdeviceptr target, unsigned short value,
                                  size_t count) {
  return wait_unless(is_on_device(target),
                     agpu__emu_cuMemsetD16Async(target, value, count, NULL));
}

CUresult agpu__emu_cuMemsetD32_v2(CUdeviceptr target, unsigned int value,
                                  size_t count) {
  return wait_unless(is_on_device(target),
                     agpu__emu_cuMemsetD32Async(target, value, count, NULL));
}

CUresult agpu__emu_cuMemsetD2D8_v2(CUdeviceptr target, size_t pitch,
                                   unsigned char value, size_t width,
                                   size_t height) {
  return wait_unless(
      is_on_device(target),
      agpu__emu_cuMemsetD2D8Async(target, pitch, value, width, height, NULL));
}

CUresult agpu__emu_cuMemsetD2D32_v2(CUdeviceptr target, size_t pitch,
                                    unsigned int value, size_t width,
                                    size_t height) {
  return wait_unless(
      is_on_device(target),
      agpu__emu_cuMemsetD2D32Async(target, pitch, value, width, height, NULL));
}
