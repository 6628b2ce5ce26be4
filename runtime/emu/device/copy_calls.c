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

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/device/stream.h"
#include "emu/memory/memory.h"

CUresult agpu__emu_copy_make(CUdeviceptr target, CUdeviceptr source,
                             size_t bytes, agpu__emu_op **out_op) {
  if (!target || !source || !agpu__emu_memory_is_nameable(target, bytes) ||
      !agpu__emu_memory_is_nameable(source, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_COPY, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->copy.target = target;
  op->copy.source = source;
  op->copy.bytes = bytes;
  *out_op = op;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source,
                                 size_t bytes, CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (bytes == 0)
    return CUDA_SUCCESS;
  agpu__emu_op *op;
  result = agpu__emu_copy_make(target, source, bytes, &op);
  if (result)
    return result;
  result = agpu__emu_stream_enqueue(stream, op);
  // As a card that has to bring it through memory of its own first: not before
  // the stream has got there.
  bool blocks = !agpu__emu_get_settings()->pageable_async &&
                (agpu__emu_memory_is_pageable(target, bytes) ||
                 agpu__emu_memory_is_pageable(source, bytes));
  return result || !blocks ? result : agpu__emu_cuStreamSynchronize(stream);
}

CUresult agpu__emu_fill_make(CUdeviceptr target, size_t pitch,
                             unsigned int value, unsigned int element_bytes,
                             size_t width, size_t height,
                             agpu__emu_op **out_op) {
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FILL, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->fill.target = target;
  op->fill.value = value;
  op->fill.element_bytes = element_bytes;
  op->fill.pitch = pitch;
  op->fill.width = width;
  op->fill.height = height;
  size_t span = agpu__emu_fill_span(op);
  if (!target || target % element_bytes || span == SIZE_MAX ||
      (height > 1 &&
       (pitch % element_bytes || pitch / element_bytes < width)) ||
      !agpu__emu_memory_is_nameable(target, span)) {
    agpu__emu_op_free(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
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
