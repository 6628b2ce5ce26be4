//===- host_memory.c - Memory of the host that devices access ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>
#include <string.h>

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  if (!pointer || !bytes || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = NULL;
  if (bytes > ptx_get_settings()->memory_bytes ||
      posix_memalign(&memory, 4096, bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memset(memory, PTX_POISON_BYTE, bytes);
  ptx_allocation_add((ptx_allocation){.base = (uintptr_t)memory,
                                      .bytes = bytes,
                                      .kind = PTX_PINNED,
                                      .device = context->device});
  *pointer = memory;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  ptx_drain_context(context);
  if (!ptx_allocation_end((uintptr_t)pointer, 1u << PTX_PINNED))
    return CUDA_ERROR_INVALID_VALUE;
  free(pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags) {
  CUcontext context;
  ptx_allocation other;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  CUdeviceptr base = (uintptr_t)pointer;
  // What no address is behind cannot be pinned.
  if (!pointer || !bytes || flags > 15 || bytes > (size_t)1 << 47)
    return CUDA_ERROR_INVALID_VALUE;
  if ((ptx_allocation_find(base, &other) && other.is_live) ||
      (ptx_allocation_find(base + bytes - 1, &other) && other.is_live))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  ptx_allocation_add((ptx_allocation){.base = base,
                                      .bytes = bytes,
                                      .kind = PTX_REGISTERED,
                                      .device = context->device});
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *pointer) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  ptx_drain_context(context);
  return ptx_allocation_end((uintptr_t)pointer, 1u << PTX_REGISTERED)
             ? CUDA_SUCCESS
             : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
