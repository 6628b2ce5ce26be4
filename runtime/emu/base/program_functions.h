//===- program_functions.h - Other calls of programs --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rest of the driver's API that the emulated device has: what async-gpu's
// runtime does not call, and other programs do (driver_api/functions.h has what
// it calls). Types, constants and signatures are those of the API (cuda.h).
// What is in neither table is not there.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_PROGRAM_FUNCTIONS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_PROGRAM_FUNCTIONS_H

#include "driver_api/functions.h"
#include "driver_api/values.h"

/// The default stream by name. (NULL means it, too. That of a thread, 2, is not
/// supported.)
#define CU_STREAM_LEGACY ((CUstream)0x1)

// What these point to is not supported.
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;

typedef struct CUctxCreateParams {
  CUexecAffinityParam *execAffinityParams;
  int numExecAffinityParams;
  CUctxCigParam *cigParams;
} CUctxCreateParams;

typedef struct CUuuid {
  char bytes[16];
} CUuuid;

/// Bytes of shared memory that a block of so many threads asks for.
typedef size_t (*CUoccupancyB2DSize)(int threads);

typedef struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  unsigned int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  unsigned int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/// What parameters of a launch in one buffer begin with: each of the first two
/// is followed by a pointer.
enum {
  CU_LAUNCH_PARAM_END = 0,
  CU_LAUNCH_PARAM_BUFFER_POINTER = 1,
  CU_LAUNCH_PARAM_BUFFER_SIZE = 2, // to a size_t
};

// The functions: X(name, symbol, since, parameters, arguments).
//
//   name        what cuda.h calls it
//   symbol      what the driver exports, and agpu__emu_SYMBOL, which does it
//   since       the version of CUDA (12050: 12.5) whose cuda.h calls it so; for
//               one name the later symbol comes first
//   parameters  as the API declares them; every function returns CUresult
//   arguments   the parameters' names
#define AGPU__EMU_PROGRAM_FUNCTIONS(X)                                         \
  AGPU__EMU_CONTEXT_FUNCTIONS(X)                                               \
  AGPU__EMU_QUERY_FUNCTIONS(X)                                                 \
  AGPU__EMU_CAPTURE_FUNCTIONS(X)                                               \
  AGPU__EMU_SYNC_FUNCTIONS(X)

#define AGPU__EMU_CONTEXT_FUNCTIONS(X)                                         \
  X(cuCtxCreate, cuCtxCreate_v4, 12050,                                        \
    (CUcontext * context, CUctxCreateParams * params, unsigned int flags,      \
     CUdevice device),                                                         \
    (context, params, flags, device))                                          \
  X(cuCtxCreate, cuCtxCreate_v3, 11040,                                        \
    (CUcontext * context, CUexecAffinityParam * affinities, int count,         \
     unsigned int flags, CUdevice device),                                     \
    (context, affinities, count, flags, device))                               \
  X(cuCtxCreate, cuCtxCreate_v2, 3020,                                         \
    (CUcontext * context, unsigned int flags, CUdevice device),                \
    (context, flags, device))                                                  \
  X(cuCtxDestroy, cuCtxDestroy_v2, 4000, (CUcontext context), (context))       \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext context),          \
    (context))                                                                 \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext * context),          \
    (context))                                                                 \
  X(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice * device), (device))       \
  X(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *flags), (flags))        \
  X(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020,                              \
    (CUcontext context, unsigned int *version), (context, version))            \
  X(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050,            \
    (int *least, int *greatest), (least, greatest))                            \
  X(cuCtxSynchronize, cuCtxSynchronize, 2000, (void), ())                      \
  X(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peer),    \
    (peer))                                                                    \
  X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000,                \
    (CUdevice device), (device))                                               \
  X(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000,          \
    (CUdevice device, unsigned int flags), (device, flags))                    \
  X(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000,              \
    (CUdevice device, unsigned int *flags, int *active),                       \
    (device, flags, active))

/// Devices, streams, events, modules and kernels.
#define AGPU__EMU_QUERY_FUNCTIONS(X)                                           \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020,                               \
    (size_t *bytes, CUdevice device), (bytes, device))                         \
  X(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000,                \
    (int *major, int *minor, CUdevice device), (major, minor, device))         \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040,                                \
    (CUuuid * uuid, CUdevice device), (uuid, device))                          \
  X(cuDeviceGetUuid, cuDeviceGetUuid, 9020, (CUuuid * uuid, CUdevice device),  \
    (uuid, device))                                                            \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010,                            \
    (char *name, int length, CUdevice device), (name, length, device))         \
  X(cuStreamGetPriority, cuStreamGetPriority, 5050,                            \
    (CUstream stream, int *priority), (stream, priority))                      \
  X(cuStreamGetFlags, cuStreamGetFlags, 5050,                                  \
    (CUstream stream, unsigned int *flags), (stream, flags))                   \
  X(cuStreamGetCtx, cuStreamGetCtx, 9020,                                      \
    (CUstream stream, CUcontext * context), (stream, context))                 \
  X(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010,                     \
    (CUevent event, CUstream stream, unsigned int flags),                      \
    (event, stream, flags))                                                    \
  X(cuEventElapsedTime, cuEventElapsedTime_v2, 12080,                          \
    (float *milliseconds, CUevent start, CUevent end),                         \
    (milliseconds, start, end))                                                \
  X(cuModuleLoadData, cuModuleLoadData, 2000,                                  \
    (CUmodule * module, const void *image), (module, image))                   \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020,                             \
    (CUdeviceptr * pointer, size_t *bytes, CUmodule module, const char *name), \
    (pointer, bytes, module, name))                                            \
  X(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, (int *mode),        \
    (mode))                                                                    \
  X(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000,                          \
    (CUfunction function, int config), (function, config))                     \
  X(cuFuncGetName, cuFuncGetName, 12030,                                       \
    (const char **name, CUfunction function), (name, function))                \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050,                         \
    (int *blocks, CUfunction function, int threads, size_t shared_bytes),      \
    (blocks, function, threads, shared_bytes))                                 \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                      \
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,                \
    (int *blocks, CUfunction function, int threads, size_t shared_bytes,       \
     unsigned int flags),                                                      \
    (blocks, function, threads, shared_bytes, flags))                          \
  X(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050,  \
    (int *grid, int *block, CUfunction function,                               \
     CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes, int limit),      \
    (grid, block, function, shared_bytes_of, shared_bytes, limit))

/// Capture; and nodes that host functions become.
#define AGPU__EMU_CAPTURE_FUNCTIONS(X)                                         \
  X(cuStreamIsCapturing, cuStreamIsCapturing, 10000,                           \
    (CUstream stream, int *status), (stream, status))                          \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030,                  \
    (CUstream stream, int *status, uint64_t *id, CUgraph *graph,               \
     const CUgraphNode **dependencies, size_t *count),                         \
    (stream, status, id, graph, dependencies, count))                          \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010,                     \
    (CUstream stream, int *status, uint64_t *id), (stream, status, id))        \
  X(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies,      \
    11030,                                                                     \
    (CUstream stream, CUgraphNode * nodes, size_t count, unsigned int flags),  \
    (stream, nodes, count, flags))                                             \
  X(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode,      \
    10010, (int *mode), (mode))                                                \
  X(cuGraphAddMemAllocNode, cuGraphAddMemAllocNode, 11040,                     \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params),                        \
    (node, graph, dependencies, count, params))                                \
  X(cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040,                       \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,       \
     size_t count, CUdeviceptr pointer),                                       \
    (node, graph, dependencies, count, pointer))                               \
  X(cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040, (CUdevice device),      \
    (device))

/// Memory, and copies and fills that are on the default stream.
#define AGPU__EMU_SYNC_FUNCTIONS(X)                                            \
  X(cuMemAllocPitch, cuMemAllocPitch_v2, 3020,                                 \
    (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,        \
     unsigned int element_bytes),                                              \
    (pointer, pitch, width, height, element_bytes))                            \
  X(cuMemAllocHost, cuMemAllocHost_v2, 3020, (void **pointer, size_t bytes),   \
    (pointer, bytes))                                                          \
  X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020,             \
    (CUdeviceptr * pointer, void *host, unsigned int flags),                   \
    (pointer, host, flags))                                                    \
  X(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020,                       \
    (CUdeviceptr * base, size_t *bytes, CUdeviceptr pointer),                  \
    (base, bytes, pointer))                                                    \
  X(cuMemcpy, cuMemcpy, 4000,                                                  \
    (CUdeviceptr target, CUdeviceptr source, size_t bytes),                    \
    (target, source, bytes))                                                   \
  X(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020,                                       \
    (CUdeviceptr target, const void *source, size_t bytes),                    \
    (target, source, bytes))                                                   \
  X(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020,                                       \
    (void *target, CUdeviceptr source, size_t bytes), (target, source, bytes)) \
  X(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020,                                       \
    (CUdeviceptr target, CUdeviceptr source, size_t bytes),                    \
    (target, source, bytes))                                                   \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020,                             \
    (CUdeviceptr target, const void *source, size_t bytes, CUstream stream),   \
    (target, source, bytes, stream))                                           \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020,                             \
    (void *target, CUdeviceptr source, size_t bytes, CUstream stream),         \
    (target, source, bytes, stream))                                           \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020,                             \
    (CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream),   \
    (target, source, bytes, stream))                                           \
  X(cuMemcpy2D, cuMemcpy2D_v2, 3020, (const CUDA_MEMCPY2D *copy), (copy))      \
  X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020,                                 \
    (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))              \
  X(cuMemcpy3D, cuMemcpy3D_v2, 3020, (const CUDA_MEMCPY3D *copy), (copy))      \
  X(cuMemsetD8, cuMemsetD8_v2, 3020,                                           \
    (CUdeviceptr target, unsigned char value, size_t count),                   \
    (target, value, count))                                                    \
  X(cuMemsetD16, cuMemsetD16_v2, 3020,                                         \
    (CUdeviceptr target, unsigned short value, size_t count),                  \
    (target, value, count))                                                    \
  X(cuMemsetD32, cuMemsetD32_v2, 3020,                                         \
    (CUdeviceptr target, unsigned int value, size_t count),                    \
    (target, value, count))                                                    \
  X(cuMemsetD2D8, cuMemsetD2D8_v2, 3020,                                       \
    (CUdeviceptr target, size_t pitch, unsigned char value, size_t width,      \
     size_t height),                                                           \
    (target, pitch, value, width, height))                                     \
  X(cuMemsetD2D32, cuMemsetD2D32_v2, 3020,                                     \
    (CUdeviceptr target, size_t pitch, unsigned int value, size_t width,       \
     size_t height),                                                           \
    (target, pitch, value, width, height))

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_PROGRAM_FUNCTIONS_H
