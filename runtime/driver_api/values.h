//===- values.h - What drivers know beside ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the API's enumerations that drivers take and give, and the runtime
// never names.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_VALUES_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_VALUES_H

#include "driver_api/functions.h"

/// driver_api/memory_nodes.h has it.
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS;

#define CUDA_ERROR_NOT_INITIALIZED ((CUresult)3)
#define CUDA_ERROR_INVALID_DEVICE ((CUresult)101)
#define CUDA_ERROR_NO_BINARY_FOR_GPU ((CUresult)209)
#define CUDA_ERROR_UNSUPPORTED_LIMIT ((CUresult)215)
#define CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ((CUresult)217)
#define CUDA_ERROR_INVALID_PTX ((CUresult)218)
#define CUDA_ERROR_OPERATING_SYSTEM ((CUresult)304)
#define CUDA_ERROR_INVALID_HANDLE ((CUresult)400)
#define CUDA_ERROR_NOT_FOUND ((CUresult)500)
#define CUDA_ERROR_PEER_ACCESS_NOT_ENABLED ((CUresult)705)
#define CUDA_ERROR_CONTEXT_IS_DESTROYED ((CUresult)709)
#define CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED ((CUresult)712)
#define CUDA_ERROR_MISALIGNED_ADDRESS ((CUresult)716)
#define CUDA_ERROR_INVALID_CLUSTER_SIZE ((CUresult)912)
#define CUDA_ERROR_ILLEGAL_STATE ((CUresult)401)
#define CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED ((CUresult)900)
#define CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ((CUresult)901)
#define CUDA_ERROR_STREAM_CAPTURE_MERGE ((CUresult)902)
#define CUDA_ERROR_STREAM_CAPTURE_UNMATCHED ((CUresult)903)
#define CUDA_ERROR_STREAM_CAPTURE_UNJOINED ((CUresult)904)
#define CUDA_ERROR_STREAM_CAPTURE_ISOLATION ((CUresult)905)
#define CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ((CUresult)906)
#define CUDA_ERROR_CAPTURED_EVENT ((CUresult)907)
#define CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD ((CUresult)908)

#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK ((CUdevice_attribute)1)
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X ((CUdevice_attribute)2)
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y ((CUdevice_attribute)3)
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z ((CUdevice_attribute)4)
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X ((CUdevice_attribute)5)
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y ((CUdevice_attribute)6)
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z ((CUdevice_attribute)7)
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK ((CUdevice_attribute)8)
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE ((CUdevice_attribute)10)
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE ((CUdevice_attribute)13)
#define CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT ((CUdevice_attribute)14)
#define CU_DEVICE_ATTRIBUTE_GPU_OVERLAP ((CUdevice_attribute)15)
#define CU_DEVICE_ATTRIBUTE_INTEGRATED ((CUdevice_attribute)18)
#define CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY ((CUdevice_attribute)19)
#define CU_DEVICE_ATTRIBUTE_COMPUTE_MODE ((CUdevice_attribute)20)
#define CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS ((CUdevice_attribute)31)
#define CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ((CUdevice_attribute)33)
#define CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID ((CUdevice_attribute)34)
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR                     \
  ((CUdevice_attribute)39)
#define CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT ((CUdevice_attribute)40)
#define CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING ((CUdevice_attribute)41)
#define CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY ((CUdevice_attribute)83)
#define CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED ((CUdevice_attribute)99)
#define CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES       \
  ((CUdevice_attribute)100)
#define CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED                  \
  ((CUdevice_attribute)113)
#define CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS ((CUdevice_attribute)129)

#define CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ((CUfunction_attribute)0)
#define CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES ((CUfunction_attribute)2)
#define CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES ((CUfunction_attribute)3)
#define CU_FUNC_ATTRIBUTE_PTX_VERSION ((CUfunction_attribute)5)
#define CU_FUNC_ATTRIBUTE_BINARY_VERSION ((CUfunction_attribute)6)

#define CU_LIMIT_STACK_SIZE ((CUlimit)0) ///< each thread of a kernel
#define CU_LIMIT_PRINTF_FIFO_SIZE ((CUlimit)1)

// The first three are ints, as uint64_t are the others.
#define CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ((CUmemPool_attribute)1)
#define CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC ((CUmemPool_attribute)2)
#define CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES                      \
  ((CUmemPool_attribute)3)
#define CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT ((CUmemPool_attribute)5)
#define CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ((CUmemPool_attribute)6)
#define CU_MEMPOOL_ATTR_USED_MEM_CURRENT ((CUmemPool_attribute)7)
#define CU_MEMPOOL_ATTR_USED_MEM_HIGH ((CUmemPool_attribute)8)

#define CU_MEMORYTYPE_HOST 1
#define CU_MEM_ACCESS_FLAGS_PROT_NONE 0
#define CU_STREAM_WRITE_VALUE_DEFAULT 0x0
#define CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER 0x1
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x4
#define CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH 0x1
#define CU_JIT_INFO_LOG_BUFFER ((CUjit_option)3)
#define CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ((CUjit_option)4)
#define CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION                  \
  ((CUlaunchAttributeID)6)

enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
  CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1, // 0: adds to them
};

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_VALUES_H
