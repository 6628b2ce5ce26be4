//===- cuda_api.h - The driver API under its own names ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written by hand here calls the driver as a user's program does, by
// the names of the API. They are pointers, since libcuda is opened when the
// program runs; the emulated device fills those that it has.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_BENCH_GPU_CUDA_API_H
#define ASYNC_GPU_BENCH_GPU_CUDA_API_H

#include "driver_api/values.h"
#include "gpu/driver/driver.h"

/// What the runtime does not call: X(name, symbol, parameters).
#define BENCH_MORE_FUNCTIONS(X)                                                \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context))                \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * context))

#define DECLARE(need, name, symbol, parameters, arguments)                     \
  extern CUresult(*name) parameters;
AGPU__DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE
#define DECLARE(name, symbol, parameters) extern CUresult(*name) parameters;
BENCH_MORE_FUNCTIONS(DECLARE)
#undef DECLARE

/// Fills the pointers for the driver that the runtime uses; what the driver
/// lacks stays NULL. Ends the process where there is none.
void cuda_api_load(bool is_emu);

/// Whether the driver has all that captured graphs take.
bool cuda_api_has_capture(void);

/// Ends the process where a call fails, with its name and error.
#define CU(call) cuda_api_check((call), #call, __FILE__, __LINE__)
void cuda_api_check(CUresult result, const char *call, const char *file,
                    int line);

#endif // ASYNC_GPU_BENCH_GPU_CUDA_API_H
