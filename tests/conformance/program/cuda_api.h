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

typedef enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
} CUresult;

enum {
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_STREAM_NON_BLOCKING = 1,
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

#endif

#endif // ASYNC_GPU_TESTS_CUDA_API_H
