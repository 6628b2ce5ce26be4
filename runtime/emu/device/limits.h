//===- limits.h - Limits of a context -----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuCtxSetLimit sets (limit_calls.c).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_LIMITS_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_LIMITS_H

#include "driver_api/functions.h"

/// The context ends, and no kernel runs in it: the next one has the defaults.
void agpu__emu_limits_end(CUcontext context);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_LIMITS_H
