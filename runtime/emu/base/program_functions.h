//===- program_functions.h - What programs call beside ------------*- C -*-===//
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

// What these point to is not supported.
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;

typedef struct CUctxCreateParams {
  CUexecAffinityParam *execAffinityParams;
  int numExecAffinityParams;
  CUctxCigParam *cigParams;
} CUctxCreateParams;

// The functions: X(name, symbol, since, parameters, arguments).
//
//   name        what cuda.h calls it
//   symbol      what the driver exports, and agpu__emu_SYMBOL, which does it
//   since       the version of CUDA (12050: 12.5) whose cuda.h calls it so; for
//               one name the later symbol comes first
//   parameters  as the API declares them; every function returns CUresult
//   arguments   the parameters' names
#define AGPU__EMU_PROGRAM_FUNCTIONS(X) AGPU__EMU_CONTEXT_FUNCTIONS(X)

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

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_PROGRAM_FUNCTIONS_H
