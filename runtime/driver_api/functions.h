//===- functions.h - The driver's API -----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA Driver API that the runtime calls and the emulated
// device implements, declared here so that neither a CUDA header nor a toolkit
// is needed to build. Types, constants and signatures are those of the API
// (cuda.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_DRIVER_API_FUNCTIONS_H
#define ASYNC_GPU_RUNTIME_DRIVER_API_FUNCTIONS_H

#include "driver_api/graph_functions.h"
#include "driver_api/tensor_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Handles. The API gives device pointers the width of `unsigned long long` on
// 64-bit systems, the only ones supported here.
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef unsigned long long CUgraphConditionalHandle;
typedef struct CUarray_st *CUarray;
typedef void (*CUhostFn)(void *user_data);

/// Results that this project names; a driver may return any other.
typedef enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_UNKNOWN = 999,
} CUresult;

/// "This leaves the process in an inconsistent state and any further CUDA work
/// will return the same error": whether it is such an error, of work that has
/// failed. Any call may give it then, and which one does tells nothing.
static inline bool agpu__is_sticky(CUresult error) {
  return error == CUDA_ERROR_ILLEGAL_ADDRESS || error == CUDA_ERROR_ASSERT ||
         (error >= CUDA_ERROR_HARDWARE_STACK_ERROR &&
          error <= CUDA_ERROR_LAUNCH_FAILED);
}

typedef enum CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
} CUdevice_attribute;

typedef enum CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
} CUfunction_attribute;

/// What a context has of something, in bytes.
typedef enum CUlimit {
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
} CUlimit;

typedef enum CUlaunchAttributeID {
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
} CUlaunchAttributeID;

typedef union CUlaunchAttributeValue {
  _Alignas(8) char pad[64];
  int programmaticStreamSerializationAllowed;
  int priority;
  struct {
    unsigned int x, y, z;
  } clusterDim; ///< in blocks
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;
_Static_assert(sizeof(CUlaunchAttribute) == 72 &&
                   _Alignof(CUlaunchAttribute) == 8,
               "as cuda.h has it");

typedef struct CUlaunchConfig {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned int numAttrs;
} CUlaunchConfig;

typedef enum CUpointer_attribute {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
} CUpointer_attribute;

enum {
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_UNIFIED = 4,
};

typedef struct CUmemLocation {
  enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } type;
  int id;
} CUmemLocation;

/// What a device may do with the memory of a pool.
typedef struct CUmemAccessDesc {
  CUmemLocation location;
  enum { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 } flags;
} CUmemAccessDesc;

/// What the first version of the function takes.
typedef struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  int type; ///< CU_GRAPH_COND_TYPE_*
  unsigned int size;
  CUgraph *phGraph_out; ///< the driver's, of `size` graphs
  CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;

typedef struct CUgraphNodeParams {
  int type; ///< CU_GRAPH_NODE_TYPE_*
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
  };
  long long reserved2;
} CUgraphNodeParams;

/// A box of bytes: `Depth` planes of `Height` rows of `WidthInBytes`. A side's
/// rows are a pitch apart, its planes as many rows as its height is.
typedef struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  unsigned int srcMemoryType; ///< CU_MEMORYTYPE_UNIFIED: srcDevice holds it
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  unsigned int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch; ///< in bytes; nothing where height is 1
  unsigned int value;
  unsigned int elementSize; ///< 1, 2 or 4
  size_t width, height;     ///< in elements, in rows
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef enum CUmemPool_attribute {
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4, ///< uint64_t, as all that follow
} CUmemPool_attribute;

typedef enum CUjit_option {
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
} CUjit_option;

enum {
  CU_STREAM_NON_BLOCKING = 0x1,
  CU_EVENT_BLOCKING_SYNC = 0x1,
  CU_EVENT_DISABLE_TIMING = 0x2,
  CU_MEM_ATTACH_GLOBAL = 0x1,
  CU_MEMHOSTREGISTER_PORTABLE = 0x1,
  CU_MEMHOSTREGISTER_DEVICEMAP = 0x2,
  CU_MEMHOSTREGISTER_READ_ONLY = 0x8,
  CU_MEMHOSTALLOC_PORTABLE = 0x1,
  CU_MEMHOSTALLOC_DEVICEMAP = 0x2,
  CU_GRAPH_COND_ASSIGN_DEFAULT = 0x1,
  CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 0x8,
  CU_GRAPH_COND_TYPE_IF = 0,
  CU_GRAPH_COND_TYPE_WHILE = 1,
  CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
};

// The functions: X(need, name, symbol, parameters, arguments).
//
//   need        REQUIRED, or OPTIONAL: NULL where the driver is too old
//   name        the field of the table: the name that cuda.h gives
//   symbol      what the driver exports: cuda.h maps some names to a later
//               version of the function
//   parameters  as the API declares them; every function returns CUresult
//   arguments   the parameters' names
#define AGPU__DRIVER_FUNCTIONS(X)                                              \
  AGPU__DRIVER_TEXTS(X)                                                        \
  AGPU__DRIVER_ENDS(X)                                                         \
  AGPU__DRIVER_CALLS(X)

/// Of these, those that only say something, and are neither logged nor counted;
/// that end what a handle is of; and all others.
#define AGPU__DRIVER_TEXTS(X)                                                  \
  X(OPTIONAL, cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context),         \
    (context))                                                                 \
  X(REQUIRED, cuGetErrorName, cuGetErrorName,                                  \
    (CUresult error, const char **out), (error, out))                          \
  X(REQUIRED, cuGetErrorString, cuGetErrorString,                              \
    (CUresult error, const char **out), (error, out))
#define AGPU__DRIVER_ENDS(X)                                                   \
  X(REQUIRED, cuModuleUnload, cuModuleUnload, (CUmodule module), (module))     \
  X(REQUIRED, cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream),          \
    (stream))                                                                  \
  X(REQUIRED, cuEventDestroy, cuEventDestroy_v2, (CUevent event), (event))     \
  X(OPTIONAL, cuGraphDestroy, cuGraphDestroy, (CUgraph graph), (graph))        \
  X(OPTIONAL, cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec exec),      \
    (exec))
#define AGPU__DRIVER_CALLS(X)                                                  \
  X(REQUIRED, cuInit, cuInit, (unsigned int flags), (flags))                   \
  X(REQUIRED, cuDriverGetVersion, cuDriverGetVersion, (int *version),          \
    (version))                                                                 \
  X(REQUIRED, cuDeviceGetCount, cuDeviceGetCount, (int *count), (count))       \
  X(REQUIRED, cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal),      \
    (device, ordinal))                                                         \
  X(REQUIRED, cuDeviceGetName, cuDeviceGetName,                                \
    (char *name, int length, CUdevice device), (name, length, device))         \
  X(REQUIRED, cuDeviceGetAttribute, cuDeviceGetAttribute,                      \
    (int *value, CUdevice_attribute attribute, CUdevice device),               \
    (value, attribute, device))                                                \
  X(REQUIRED, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,              \
    (CUcontext * context, CUdevice device), (context, device))                 \
  X(REQUIRED, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,         \
    (CUdevice device), (device))                                               \
  X(REQUIRED, cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context),           \
    (context))                                                                 \
  X(OPTIONAL, cuCtxSetLimit, cuCtxSetLimit, (CUlimit limit, size_t value),     \
    (limit, value))                                                            \
  X(OPTIONAL, cuCtxGetLimit, cuCtxGetLimit, (size_t *value, CUlimit limit),    \
    (value, limit))                                                            \
  X(REQUIRED, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer,                    \
    (int *can, CUdevice device, CUdevice peer), (can, device, peer))           \
  X(REQUIRED, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess,                    \
    (CUcontext peer, unsigned int flags), (peer, flags))                       \
  X(OPTIONAL, cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool,            \
    (CUmemoryPool * pool, CUdevice device), (pool, device))                    \
  X(OPTIONAL, cuMemPoolSetAccess, cuMemPoolSetAccess,                          \
    (CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count),        \
    (pool, accesses, count))                                                   \
  X(OPTIONAL, cuMemPoolSetAttribute, cuMemPoolSetAttribute,                    \
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),           \
    (pool, attribute, value))                                                  \
  X(OPTIONAL, cuMemPoolGetAttribute, cuMemPoolGetAttribute,                    \
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),           \
    (pool, attribute, value))                                                  \
  X(OPTIONAL, cuMemPoolTrimTo, cuMemPoolTrimTo,                                \
    (CUmemoryPool pool, size_t keep), (pool, keep))                            \
  X(REQUIRED, cuPointerGetAttribute, cuPointerGetAttribute,                    \
    (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),          \
    (data, attribute, pointer))                                                \
  X(REQUIRED, cuModuleLoadDataEx, cuModuleLoadDataEx,                          \
    (CUmodule * module, const void *image, unsigned int option_count,          \
     CUjit_option *options, void **option_values),                             \
    (module, image, option_count, options, option_values))                     \
  X(REQUIRED, cuModuleGetFunction, cuModuleGetFunction,                        \
    (CUfunction * function, CUmodule module, const char *name),                \
    (function, module, name))                                                  \
  X(OPTIONAL, cuFuncLoad, cuFuncLoad, (CUfunction function), (function))       \
  X(REQUIRED, cuFuncSetAttribute, cuFuncSetAttribute,                          \
    (CUfunction function, CUfunction_attribute attribute, int value),          \
    (function, attribute, value))                                              \
  X(OPTIONAL, cuFuncGetAttribute, cuFuncGetAttribute,                          \
    (int *value, CUfunction_attribute attribute, CUfunction function),         \
    (value, attribute, function))                                              \
  X(OPTIONAL, cuFuncGetParamInfo, cuFuncGetParamInfo,                          \
    (CUfunction function, size_t index, size_t *offset, size_t *size),         \
    (function, index, offset, size))                                           \
  X(REQUIRED, cuLaunchKernel, cuLaunchKernel,                                  \
    (CUfunction function, unsigned int grid_x, unsigned int grid_y,            \
     unsigned int grid_z, unsigned int block_x, unsigned int block_y,          \
     unsigned int block_z, unsigned int shared_bytes, CUstream stream,         \
     void **params, void **extra),                                             \
    (function, grid_x, grid_y, grid_z, block_x, block_y, block_z,              \
     shared_bytes, stream, params, extra))                                     \
  X(OPTIONAL, cuLaunchKernelEx, cuLaunchKernelEx,                              \
    (const CUlaunchConfig *config, CUfunction function, void **params,         \
     void **extra),                                                            \
    (config, function, params, extra))                                         \
  AGPU__DRIVER_TENSOR_MAPS(X)                                                  \
  X(REQUIRED, cuLaunchHostFunc, cuLaunchHostFunc,                              \
    (CUstream stream, CUhostFn function, void *user_data),                     \
    (stream, function, user_data))                                             \
  X(REQUIRED, cuStreamCreate, cuStreamCreate,                                  \
    (CUstream * stream, unsigned int flags), (stream, flags))                  \
  X(OPTIONAL, cuStreamCreateWithPriority, cuStreamCreateWithPriority,          \
    (CUstream * stream, unsigned int flags, int priority),                     \
    (stream, flags, priority))                                                 \
  X(REQUIRED, cuStreamQuery, cuStreamQuery, (CUstream stream), (stream))       \
  X(REQUIRED, cuStreamSynchronize, cuStreamSynchronize, (CUstream stream),     \
    (stream))                                                                  \
  X(REQUIRED, cuStreamWaitEvent, cuStreamWaitEvent,                            \
    (CUstream stream, CUevent event, unsigned int flags),                      \
    (stream, event, flags))                                                    \
  X(OPTIONAL, cuStreamWriteValue32, cuStreamWriteValue32_v2,                   \
    (CUstream stream, CUdeviceptr target, uint32_t value, unsigned int flags), \
    (stream, target, value, flags))                                            \
  X(REQUIRED, cuEventCreate, cuEventCreate,                                    \
    (CUevent * event, unsigned int flags), (event, flags))                     \
  X(REQUIRED, cuEventRecord, cuEventRecord, (CUevent event, CUstream stream),  \
    (event, stream))                                                           \
  X(REQUIRED, cuEventQuery, cuEventQuery, (CUevent event), (event))            \
  X(REQUIRED, cuEventSynchronize, cuEventSynchronize, (CUevent event),         \
    (event))                                                                   \
  X(OPTIONAL, cuEventElapsedTime, cuEventElapsedTime,                          \
    (float *milliseconds, CUevent start, CUevent end),                         \
    (milliseconds, start, end))                                                \
  X(REQUIRED, cuMemGetInfo, cuMemGetInfo_v2,                                   \
    (size_t *free_bytes, size_t *total_bytes), (free_bytes, total_bytes))      \
  X(REQUIRED, cuMemAlloc, cuMemAlloc_v2,                                       \
    (CUdeviceptr * pointer, size_t bytes), (pointer, bytes))                   \
  X(REQUIRED, cuMemFree, cuMemFree_v2, (CUdeviceptr pointer), (pointer))       \
  X(REQUIRED, cuMemAllocManaged, cuMemAllocManaged,                            \
    (CUdeviceptr * pointer, size_t bytes, unsigned int flags),                 \
    (pointer, bytes, flags))                                                   \
  X(OPTIONAL, cuMemAllocAsync, cuMemAllocAsync,                                \
    (CUdeviceptr * pointer, size_t bytes, CUstream stream),                    \
    (pointer, bytes, stream))                                                  \
  X(OPTIONAL, cuMemFreeAsync, cuMemFreeAsync,                                  \
    (CUdeviceptr pointer, CUstream stream), (pointer, stream))                 \
  X(REQUIRED, cuMemcpyAsync, cuMemcpyAsync,                                    \
    (CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream),   \
    (target, source, bytes, stream))                                           \
  X(OPTIONAL, cuMemcpy3DAsync, cuMemcpy3DAsync_v2,                             \
    (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))              \
  X(REQUIRED, cuMemsetD8Async, cuMemsetD8Async,                                \
    (CUdeviceptr target, unsigned char value, size_t count, CUstream stream),  \
    (target, value, count, stream))                                            \
  X(REQUIRED, cuMemsetD16Async, cuMemsetD16Async,                              \
    (CUdeviceptr target, unsigned short value, size_t count, CUstream stream), \
    (target, value, count, stream))                                            \
  X(REQUIRED, cuMemsetD32Async, cuMemsetD32Async,                              \
    (CUdeviceptr target, unsigned int value, size_t count, CUstream stream),   \
    (target, value, count, stream))                                            \
  X(OPTIONAL, cuMemsetD2D8Async, cuMemsetD2D8Async,                            \
    (CUdeviceptr target, size_t pitch, unsigned char value, size_t width,      \
     size_t height, CUstream stream),                                          \
    (target, pitch, value, width, height, stream))                             \
  X(OPTIONAL, cuMemsetD2D16Async, cuMemsetD2D16Async,                          \
    (CUdeviceptr target, size_t pitch, unsigned short value, size_t width,     \
     size_t height, CUstream stream),                                          \
    (target, pitch, value, width, height, stream))                             \
  X(REQUIRED, cuMemsetD2D32Async, cuMemsetD2D32Async,                          \
    (CUdeviceptr target, size_t pitch, unsigned int value, size_t width,       \
     size_t height, CUstream stream),                                          \
    (target, pitch, value, width, height, stream))                             \
  X(REQUIRED, cuMemHostAlloc, cuMemHostAlloc,                                  \
    (void **pointer, size_t bytes, unsigned int flags),                        \
    (pointer, bytes, flags))                                                   \
  X(REQUIRED, cuMemFreeHost, cuMemFreeHost, (void *pointer), (pointer))        \
  X(REQUIRED, cuMemHostRegister, cuMemHostRegister_v2,                         \
    (void *pointer, size_t bytes, unsigned int flags),                         \
    (pointer, bytes, flags))                                                   \
  X(REQUIRED, cuMemHostUnregister, cuMemHostUnregister, (void *pointer),       \
    (pointer))                                                                 \
  AGPU__DRIVER_GRAPHS(X)

#endif // ASYNC_GPU_RUNTIME_DRIVER_API_FUNCTIONS_H
