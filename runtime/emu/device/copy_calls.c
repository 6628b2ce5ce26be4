//===- copy_calls.c - Copies, fills, values and host functions ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the driver that enqueue them. What a range names is checked
// here, where a wrong one is the caller's error.
//
//===----------------------------------------------------------------------===//

#include "emu/device/make.h"

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/stream.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"

/// "cuMemcpy3D() returns an error if any pitch is greater than the maximum
/// allowed (CU_DEVICE_ATTRIBUTE_MAX_PITCH)."
static bool is_pitch(size_t pitch, size_t row) {
  return pitch >= row && pitch <= AGPU__EMU_MAX_PITCH;
}

/// Whether a copy or a fill may take it: memory that one call has allocated or
/// registered, or, `from_pageable`, none of which is. Kernels may use more.
static bool is_one(CUdeviceptr pointer, size_t bytes, bool from_pageable) {
  bool is_known = agpu__emu_host_memory_is_near(pointer, bytes);
  if (agpu__emu_is_unified() || agpu__emu_memory_is_near(pointer, bytes) ||
      (is_known ? agpu__emu_host_memory_is_mapped(pointer, bytes)
                : from_pageable))
    return true;
  agpu__emu_note(is_known
                     ? "the %zu bytes at 0x%llx are registered in part, or "
                       "in several pieces: a copy or fill takes one"
                     : "the %zu bytes at 0x%llx are memory of the host "
                       "that the device does not reach",
                 bytes, pointer);
  return false;
}

static CUresult make_copy(const agpu__emu_rows *target,
                          const agpu__emu_rows *source, agpu__emu_op **out_op) {
  size_t span = agpu__emu_rows_span(target);
  size_t source_span = agpu__emu_rows_span(source);
  if (!target->at || !source->at || span == SIZE_MAX ||
      source_span == SIZE_MAX ||
      !agpu__emu_memory_is_nameable(target->at, span) ||
      !agpu__emu_memory_is_nameable(source->at, source_span) ||
      !is_one(target->at, span, true) || !is_one(source->at, source_span, true))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_COPY, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->copy.target = *target;
  op->copy.source = *source;
  *out_op = op;
  return CUDA_SUCCESS;
}

/// One side of a box. "The start address is base + (Z * Height + Y) * Pitch +
/// XInBytes"; "dstPitch must be greater than or equal to WidthInBytes +
/// dstXInBytes, and dstHeight must be greater than or equal to Height + dstY",
/// or "may be 0 if Depth==1" (cuda.h). False: it is not so, it is an array, or
/// memory of the host that the driver does not know where a device's should be.
static bool find_rows(const CUDA_MEMCPY3D *copy, unsigned type,
                      const void *host, CUdeviceptr device, size_t x, size_t y,
                      size_t z, size_t pitch, size_t height,
                      agpu__emu_rows *out_rows) {
  size_t row, rows, plane, planes, first;
  if (__builtin_add_overflow(copy->WidthInBytes, x, &row) ||
      !is_pitch(pitch, row) || __builtin_add_overflow(copy->Height, y, &rows) ||
      (height < rows && (height || copy->Depth != 1)) ||
      __builtin_mul_overflow(height, pitch, &plane) ||
      __builtin_mul_overflow(plane, z, &planes) ||
      __builtin_add_overflow(planes, y * pitch + x, &first) ||
      (type != CU_MEMORYTYPE_HOST && type != CU_MEMORYTYPE_DEVICE &&
       type != CU_MEMORYTYPE_UNIFIED))
    return false;
  CUdeviceptr base = type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : device;
  if (type == CU_MEMORYTYPE_DEVICE &&
      agpu__emu_memory_is_pageable(base + first, 1))
    return false;
  *out_rows = (agpu__emu_rows){.at = base ? base + first : 0,
                               .width = copy->WidthInBytes,
                               .height = copy->Height,
                               .depth = copy->Depth,
                               .pitch = pitch,
                               .plane = plane};
  return true;
}

CUresult agpu__emu_copy_make(const CUDA_MEMCPY3D *copy, agpu__emu_op **out_op) {
  agpu__emu_rows target, source;
  // "The srcLOD and dstLOD members of the structure must be set to 0."
  if (copy->srcLOD || copy->dstLOD || copy->reserved0 || copy->reserved1 ||
      !find_rows(copy, copy->srcMemoryType, copy->srcHost, copy->srcDevice,
                 copy->srcXInBytes, copy->srcY, copy->srcZ, copy->srcPitch,
                 copy->srcHeight, &source) ||
      !find_rows(copy, copy->dstMemoryType, copy->dstHost, copy->dstDevice,
                 copy->dstXInBytes, copy->dstY, copy->dstZ, copy->dstPitch,
                 copy->dstHeight, &target)) {
    agpu__emu_note("a copy has a pitch or height that does not hold its rows, "
                   "memory of the host where a device's should be, or an "
                   "array, which the emulated device does not have");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return make_copy(&target, &source, out_op);
}

static CUresult enqueue_copy(agpu__emu_op *op, CUstream stream) {
  const agpu__emu_rows target = op->copy.target, source = op->copy.source;
  bool is_captured = agpu__emu_is_captured(stream);
  CUresult result = agpu__emu_stream_enqueue(stream, op);
  // As a GPU that has to stage it in memory of its own first: not before
  // the stream has got there.
  bool blocks =
      !agpu__emu_get_settings()->pageable_async && !is_captured &&
      (agpu__emu_memory_is_pageable(target.at, agpu__emu_rows_span(&target)) ||
       agpu__emu_memory_is_pageable(source.at, agpu__emu_rows_span(&source)));
  return result || !blocks ? result : agpu__emu_cuStreamSynchronize(stream);
}

CUresult agpu__emu_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
                                 size_t bytes, CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (bytes == 0)
    return CUDA_SUCCESS;
  const agpu__emu_rows to = agpu__emu_rows_of(target, bytes);
  const agpu__emu_rows from = agpu__emu_rows_of(source, bytes);
  agpu__emu_op *op;
  result = make_copy(&to, &from, &op);
  return result ? result : enqueue_copy(op, stream);
}

CUresult agpu__emu_cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!copy)
    return CUDA_ERROR_INVALID_VALUE;
  if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
    return CUDA_SUCCESS;
  agpu__emu_op *op;
  result = agpu__emu_copy_make(copy, &op);
  return result ? result : enqueue_copy(op, stream);
}

CUresult agpu__emu_fill_make(CUdeviceptr target, size_t pitch,
                             unsigned int value, unsigned int element_bytes,
                             size_t width, size_t height,
                             agpu__emu_op **out_op) {
  agpu__emu_rows rows = {
      .at = target, .height = height, .depth = 1, .pitch = pitch};
  if (__builtin_mul_overflow(width, element_bytes, &rows.width))
    return CUDA_ERROR_INVALID_VALUE;
  size_t span = agpu__emu_rows_span(&rows);
  if (!target || target % element_bytes || span == SIZE_MAX ||
      (height > 1 && (pitch % element_bytes || !is_pitch(pitch, rows.width))) ||
      !agpu__emu_memory_is_nameable(target, span) ||
      !is_one(target, span, false))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FILL, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->fill.target = rows;
  op->fill.value = value;
  op->fill.element_bytes = element_bytes;
  *out_op = op;
  return CUDA_SUCCESS;
}

static CUresult enqueue_fill(CUdeviceptr target, size_t pitch,
                             unsigned int value, unsigned int element_bytes,
                             size_t width, size_t height, CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (width == 0 || height == 0)
    return CUDA_SUCCESS;
  agpu__emu_op *op;
  result = agpu__emu_fill_make(target, pitch, value, element_bytes, width,
                               height, &op);
  return result ? result : agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_cuMemsetD8Async(CUdeviceptr target, unsigned char value,
                                   size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 1, count, 1, stream);
}

CUresult agpu__emu_cuMemsetD16Async(CUdeviceptr target, unsigned short value,
                                    size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 2, count, 1, stream);
}

CUresult agpu__emu_cuMemsetD32Async(CUdeviceptr target, unsigned int value,
                                    size_t count, CUstream stream) {
  return enqueue_fill(target, 0, value, 4, count, 1, stream);
}

CUresult agpu__emu_cuMemsetD2D8Async(CUdeviceptr target, size_t pitch,
                                     unsigned char value, size_t width,
                                     size_t height, CUstream stream) {
  return enqueue_fill(target, pitch, value, 1, width, height, stream);
}

CUresult agpu__emu_cuMemsetD2D16Async(CUdeviceptr target, size_t pitch,
                                      unsigned short value, size_t width,
                                      size_t height, CUstream stream) {
  return enqueue_fill(target, pitch, value, 2, width, height, stream);
}

CUresult agpu__emu_cuMemsetD2D32Async(CUdeviceptr target, size_t pitch,
                                      unsigned int value, size_t width,
                                      size_t height, CUstream stream) {
  return enqueue_fill(target, pitch, value, 4, width, height, stream);
}

CUresult agpu__emu_cuStreamWriteValue32(CUstream stream, CUdeviceptr target,
                                        uint32_t value, unsigned int flags) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (flags > CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER ||
      target % sizeof value || !agpu__emu_memory_takes_values(target))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_WRITE, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->write.target = target;
  op->write.value = value;
  return agpu__emu_stream_enqueue(stream, op);
}

CUresult agpu__emu_cuLaunchHostFunc(CUstream stream, CUhostFn function,
                                    void *user_data) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_HOST, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->host.function = function;
  op->host.user_data = user_data;
  return agpu__emu_stream_enqueue(stream, op);
}
