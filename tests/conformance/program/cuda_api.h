//===- cuda_api.h - What these programs need of cuda.h ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the build finds a toolkit, the same programs are compiled with its
// cuda.h, too (CUDA_H).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_CUDA_API_H
#define ASYNC_GPU_TESTS_CUDA_API_H

#ifdef CUDA_H
#include <cuda.h>
#else

#include <stddef.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef int CUstreamCaptureMode;
typedef int CUstreamCaptureStatus;

typedef enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
} CUresult;

typedef struct {
  char bytes[16];
} CUuuid;
typedef struct CUarray_st *CUarray;
typedef struct {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef int CUjit_option;
typedef int CUmoduleLoadingMode;
typedef int CUdriverProcAddressQueryResult;
typedef unsigned long long cuuint64_t;
#define CUDA_CB

enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_MODULE_EAGER_LOADING = 1,
  CU_MODULE_LAZY_LOADING = 2,
  CU_GET_PROC_ADDRESS_DEFAULT = 0,
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define CU_STREAM_LEGACY ((CUstream)1)

enum {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_STREAM_NON_BLOCKING = 1,
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
  CU_STREAM_ADD_CAPTURE_DEPENDENCIES = 0,
  CU_STREAM_SET_CAPTURE_DEPENDENCIES = 1,
};

CUresult cuInit(unsigned int flags);
CUresult cuGetErrorName(CUresult error, const char **out);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags,
                                    int *active);
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
#define CUDA_VERSION 13000
#define cuCtxCreate cuCtxCreate_v4
CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *params,
                     unsigned int flags, CUdevice device);
#define cuCtxDestroy cuCtxDestroy_v2
CUresult cuCtxDestroy(CUcontext context);
#define cuCtxPushCurrent cuCtxPushCurrent_v2
CUresult cuCtxPushCurrent(CUcontext context);
#define cuCtxPopCurrent cuCtxPopCurrent_v2
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxSynchronize(void);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned int count, int *options, void **values);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name);
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x,
                        unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **params, void **extra);
CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
#define cuStreamDestroy cuStreamDestroy_v2
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
#define cuEventDestroy cuEventDestroy_v2
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
#define cuStreamBeginCapture cuStreamBeginCapture_v2
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *count);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
                                           size_t count, unsigned int flags);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraph child);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
#define cuMemAlloc cuMemAlloc_v2
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes);
#define cuMemFree cuMemFree_v2
CUresult cuMemFree(CUdeviceptr pointer);
#define cuMemGetInfo cuMemGetInfo_v2
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
CUresult cuMemsetD32Async(CUdeviceptr target, unsigned int value, size_t count,
                          CUstream stream);
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                       CUstream stream);

CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
#define cuDeviceTotalMem cuDeviceTotalMem_v2
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
#define cuDeviceGetUuid cuDeviceGetUuid_v2
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *name, int length, CUdevice device);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
#define cuModuleGetGlobal cuModuleGetGlobal_v2
CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
                           const char *name);
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t shared_bytes);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                          CUfunction function,
                                          size_t (*shared_bytes_of)(int),
                                          size_t shared_bytes, int limit);
CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *),
                          void *argument);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags,
                                    int priority);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuEventSynchronize(CUevent event);
#define cuEventElapsedTime cuEventElapsedTime_v2
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
#define cuMemAllocPitch cuMemAllocPitch_v2
CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width,
                         size_t height, unsigned int element_bytes);
#define cuMemAllocHost cuMemAllocHost_v2
CUresult cuMemAllocHost(void **pointer, size_t bytes);
CUresult cuMemFreeHost(void *pointer);
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
CUresult cuMemHostGetDevicePointer(CUdeviceptr *pointer, void *host,
                                   unsigned int flags);
#define cuMemGetAddressRange cuMemGetAddressRange_v2
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes,
                              CUdeviceptr pointer);
#define cuMemcpyHtoD cuMemcpyHtoD_v2
CUresult cuMemcpyHtoD(CUdeviceptr target, const void *source, size_t bytes);
#define cuMemcpyDtoH cuMemcpyDtoH_v2
CUresult cuMemcpyDtoH(void *target, CUdeviceptr source, size_t bytes);
#define cuMemcpyDtoD cuMemcpyDtoD_v2
CUresult cuMemcpyDtoD(CUdeviceptr target, CUdeviceptr source, size_t bytes);
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                           CUstream stream);
#define cuMemcpy2D cuMemcpy2D_v2
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy);
#define cuMemsetD32 cuMemsetD32_v2
CUresult cuMemsetD32(CUdeviceptr target, unsigned int value, size_t count);
#define cuMemsetD2D8 cuMemsetD2D8_v2
CUresult cuMemsetD2D8(CUdeviceptr target, size_t pitch, unsigned char value,
                      size_t width, size_t height);
#define cuGetProcAddress cuGetProcAddress_v2
CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                          cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status);

#endif

#endif // ASYNC_GPU_TESTS_CUDA_API_H
