//===- memory_calls.c - Calls for memory ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocating and freeing device memory and memory of the host that devices
// address. As the API has it, a free that is not in a stream waits for all work
// in flight.
//
//===----------------------------------------------------------------------===//

#include "driver_api/memory_nodes.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/stream.h"
#include "emu/memory/allocation.h"
#include "emu/memory/capacity.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"

CUresult agpu__emu_cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  CUresult result = agpu__emu_enter_unsafe();
  return result ? result
                : agpu__emu_memory_allocate(pointer, bytes, AGPU__EMU_PLAIN);
}

CUresult agpu__emu_cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  if (flags != CU_MEM_ATTACH_GLOBAL)
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_memory_allocate(pointer, bytes, AGPU__EMU_MANAGED);
}

CUresult agpu__emu_cuMemFree(CUdeviceptr pointer) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result || !pointer)
    return result;
  bool is_ordered;
  if (!agpu__emu_memory_unname(pointer, &is_ordered))
    return CUDA_ERROR_INVALID_VALUE;
  // What a pool has given is gone at once: "it is the user's responsibility to
  // ensure that all accesses of the memory have completed".
  if (!is_ordered)
    agpu__emu_streams_wait();
  agpu__emu_memory_reach_free(pointer);
  return CUDA_SUCCESS;
}

/// What the calls for stream-ordered memory check first.
static CUresult enter_ordered(CUstream stream) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (agpu__emu_get_settings()->memory_pools ||
      (result && result != CUDA_ERROR_INVALID_HANDLE))
    return result;
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// Of a stream that is captured, what the call comes to as a node: one that
/// allocates, or frees `*pointer`.
static CUresult capture(CUstream stream, bool frees, CUdeviceptr *pointer,
                        size_t bytes) {
  int status;
  CUgraph graph;
  const CUgraphNode *behind;
  CUgraphNode node;
  size_t count;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {
      .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                 .id = agpu__emu_current_device()}},
      .bytesize = bytes};
  CUresult result = agpu__emu_cuStreamGetCaptureInfo_v2(
      stream, &status, NULL, &graph, &behind, &count);
  if (result || status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return result ? result : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  result = frees ? agpu__emu_cuGraphAddMemFreeNode(&node, graph, behind, count,
                                                   *pointer)
                 : agpu__emu_cuGraphAddMemAllocNode(&node, graph, behind, count,
                                                    &params);
  if (!result)
    result = agpu__emu_cuStreamUpdateCaptureDependencies(
        stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  if (!result && !frees)
    *pointer = params.dptr;
  return result;
}

CUresult agpu__emu_cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes,
                                   CUstream stream) {
  CUresult result = enter_ordered(stream);
  if (!result && pointer && agpu__emu_is_captured(stream))
    return capture(stream, false, pointer, bytes);
  if (!result)
    result = agpu__emu_memory_allocate(pointer, bytes, AGPU__EMU_ORDERED);
  if (result)
    return result;
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_ALLOC, 0);
  if (op) {
    op->pointer = *pointer;
    result = agpu__emu_stream_enqueue(stream, op);
  } else {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result)
    agpu__emu_memory_reach_free(*pointer);
  return result;
}

CUresult agpu__emu_cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  CUresult result = enter_ordered(stream);
  if (result)
    return result;
  if (agpu__emu_is_captured(stream))
    return capture(stream, true, &pointer, 0);
  agpu__emu_op *op = agpu__emu_op_create(AGPU__EMU_OP_FREE, 0);
  if (!op)
    return CUDA_ERROR_OUT_OF_MEMORY;
  op->pointer = pointer;
  if (!agpu__emu_memory_leave(pointer)) {
    agpu__emu_op_free(op);
    return CUDA_ERROR_INVALID_VALUE;
  }
  result = agpu__emu_stream_enqueue(stream, op);
  if (result) // A call that fails has done nothing: it can be made again.
    agpu__emu_memory_stay(pointer);
  return result;
}

CUresult agpu__emu_cuMemHostAlloc(void **pointer, size_t bytes,
                                  unsigned int flags) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  if (!pointer || bytes == 0 ||
      (flags &
       ~(unsigned)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                   CU_MEMHOSTALLOC_WRITECOMBINED)))
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_host_memory_allocate(pointer, bytes);
}

CUresult agpu__emu_cuMemFreeHost(void *pointer) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  agpu__emu_streams_wait();
  return agpu__emu_host_memory_free(pointer);
}

CUresult agpu__emu_cuMemHostRegister(void *pointer, size_t bytes,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  if (!pointer || bytes == 0 ||
      (flags &
       ~(unsigned)(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                   CU_MEMHOSTREGISTER_READ_ONLY)))
    return CUDA_ERROR_INVALID_VALUE;
  return agpu__emu_host_memory_register(pointer, bytes,
                                        flags & CU_MEMHOSTREGISTER_READ_ONLY);
}

CUresult agpu__emu_cuMemHostUnregister(void *pointer) {
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  agpu__emu_streams_wait();
  return agpu__emu_host_memory_unregister(pointer);
}

CUresult agpu__emu_cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!free_bytes || !total_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__emu_capacity_get(free_bytes, total_bytes);
  return CUDA_SUCCESS;
}

/// Of freed device memory, too: a later copy of it is an error that says so.
static CUresult get_memory_type(CUdeviceptr pointer, void *data) {
  bool on_device = agpu__emu_memory_is_near(pointer, 1);
  if (!on_device && !agpu__emu_host_memory_is_mapped(pointer, 1))
    return CUDA_ERROR_INVALID_VALUE;
  *(unsigned *)data = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuPointerGetAttribute(void *data,
                                         CUpointer_attribute attribute,
                                         CUdeviceptr pointer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    return get_memory_type(pointer, data);
  if (attribute != CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    return CUDA_ERROR_INVALID_VALUE;
  CUdevice device = agpu__emu_host_memory_is_mapped(pointer, 1)
                        ? agpu__emu_current_device()
                        : agpu__emu_memory_device(pointer);
  if (device < 0)
    return CUDA_ERROR_INVALID_VALUE;
  *(int *)data = device;
  return CUDA_SUCCESS;
}
