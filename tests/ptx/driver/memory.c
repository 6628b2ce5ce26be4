//===- memory.c - Memory of devices --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include "driver_api/memory_nodes.h"
#include "machine/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult allocate(CUcontext context, CUdeviceptr *pointer, size_t bytes,
                         ptx_memory_kind kind) {
  if (!pointer || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t total = ptx_get_settings()->memory_bytes;
  uint64_t used =
      ptx_allocations_count(context->device, kind == PTX_POOL_MEMORY);
  if (used > total || bytes > total - used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr base = ptx_address_reserve(bytes);
  if (!base)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ptx_allocation_add((ptx_allocation){
      .base = base, .bytes = bytes, .kind = kind, .device = context->device});
  if (kind == PTX_POOL_MEMORY)
    ptx_pool_grew(ptx_pool_of(context->device));
  *pointer = base;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!free_bytes || !total_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t total = ptx_get_settings()->memory_bytes;
  uint64_t used = ptx_allocations_count(context->device, false);
  used +=
      ptx_pool_of(context->device)->reserved - ptx_pool_bytes(context->device);
  *total_bytes = total;
  *free_bytes = used < total ? total - used : 0;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  return result ? result : allocate(context, pointer, bytes, PTX_DEVICE_MEMORY);
}

typedef struct call_of_memory {
  CUDA_MEM_ALLOC_NODE_PARAMS *params; ///< NULL: it frees
  CUdeviceptr pointer;
} call_of_memory;

static CUresult add_memory(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after, size_t count,
                           const void *of) {
  const call_of_memory *call = of;
  return call->params
             ? cuGraphAddMemAllocNode(node, graph, after, count, call->params)
             : cuGraphAddMemFreeNode(node, graph, after, count, call->pointer);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (!ptx_get_settings()->has_pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {CU_MEM_LOCATION_TYPE_DEVICE,
                                 stream->context->device}},
      .bytesize = bytes};
  const call_of_memory call = {&params, 0};
  if (ptx_capture(stream, add_memory, &call, &result)) {
    *pointer = params.dptr;
    return result;
  }
  return allocate(stream->context, pointer, bytes, PTX_POOL_MEMORY);
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes,
                           unsigned int flags) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  if (!pointer || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != 2))
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = NULL;
  if (bytes > ptx_get_settings()->memory_bytes ||
      posix_memalign(&memory, 4096, bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memset(memory, PTX_POISON_BYTE, bytes);
  *pointer = (uintptr_t)memory;
  ptx_allocation_add((ptx_allocation){.base = *pointer,
                                      .bytes = bytes,
                                      .kind = PTX_MANAGED,
                                      .device = context->device});
  return CUDA_SUCCESS;
}

/// Waits for the device, as a card may.
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result || !pointer)
    return result;
  // It is the caller's to know that no work uses memory of a pool any more.
  if (ptx_allocation_end(pointer, 1u << PTX_POOL_MEMORY))
    return CUDA_SUCCESS;
  ptx_drain_context(context);
  if (ptx_allocation_end(pointer, 1u << PTX_MANAGED)) {
    free((void *)(uintptr_t)pointer);
    return CUDA_SUCCESS;
  }
  bool was_one = ptx_allocation_end(pointer, 1u << PTX_DEVICE_MEMORY);
  return was_one ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

typedef struct free_work {
  ptx_work work;
  CUdeviceptr pointer;
} free_work;

static void free_in_stream(ptx_work *work) {
  CUdeviceptr pointer = ((free_work *)work)->pointer;
  if (!ptx_allocation_end(pointer,
                          1u << PTX_DEVICE_MEMORY | 1u << PTX_POOL_MEMORY))
    ptx_violation("0x%llx is freed in a stream and was freed before",
                  (unsigned long long)pointer);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result || !pointer)
    return result;
  const call_of_memory call = {NULL, pointer};
  if (ptx_capture(stream, add_memory, &call, &result))
    return result;
  if (!ptx_allocation_begin_end(pointer, 1u << PTX_DEVICE_MEMORY |
                                             1u << PTX_POOL_MEMORY))
    return CUDA_ERROR_INVALID_VALUE;
  free_work *work = ptx_new_work(sizeof *work, free_in_stream);
  work->pointer = pointer;
  ptx_enqueue(stream, &work->work);
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  CUcontext context;
  ptx_allocation allocation;
  CUresult result = ptx_enter_context(&context);
  if (result)
    return result;
  if (!data || !ptx_allocation_find(pointer, &allocation) ||
      !allocation.is_live)
    return CUDA_ERROR_INVALID_VALUE;
  switch ((int)attribute) {
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = allocation.device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)data = ptx_address_is_device(pointer) ? CU_MEMORYTYPE_DEVICE
                                                       : CU_MEMORYTYPE_HOST;
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!ptx_is_device(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!ptx_get_settings()->has_pools)
    return CUDA_ERROR_NOT_SUPPORTED;
  *pool = ptx_pool_of(device);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *accesses,
                            size_t count) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!pool || (count && !accesses))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    int device = accesses[i].location.id;
    if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !ptx_is_device(device))
      return CUDA_ERROR_INVALID_VALUE;
    // "Revoking the access of the pool's own device is not allowed."
    if (device == pool->device &&
        accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
      return CUDA_ERROR_INVALID_VALUE;
    pool->can_access[device] =
        accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  }
  ptx_access_changed();
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!pool || !value || attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
    return CUDA_ERROR_INVALID_VALUE;
  memcpy(&pool->threshold, value, sizeof pool->threshold);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  const uint64_t used = ptx_pool_bytes(pool->device);
  switch ((int)attribute) {
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    memcpy(value, &pool->threshold, sizeof pool->threshold);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    memcpy(value, &pool->reserved, sizeof pool->reserved);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    memcpy(value, &used, sizeof used);
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  ptx_pool_shrink(pool, keep);
  return CUDA_SUCCESS;
}
