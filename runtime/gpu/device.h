//===- device.h - The device in use -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One process uses one device through one driver. It starts with the first
// call that needs it and is given back at the end of the runtime's life
// (async/lifecycle.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DEVICE_H
#define ASYNC_GPU_RUNTIME_GPU_DEVICE_H

#include "async_gpu/runtime.h"
#include "gpu/driver.h"

#include <stdbool.h>

typedef struct agpu__device {
  const agpu__driver *driver;
  agpu_device_kind kind; ///< CUDA or EMU
  CUdevice handle;
  CUcontext context; ///< the primary one, retained
  uint32_t chip;     ///< 75 for sm_75; 0 where images are not PTX
  bool memory_pools; ///< stream-ordered allocation is there
} agpu__device;

/// The device, started when it is not running. Constant and alive until the
/// runtime's end. A failed start is remembered and its status returned again
/// (a new reference), until agpu_runtime_set_device. Any thread.
agpu_status agpu__device_get(const agpu__device **out_device);

/// The device if it runs, else NULL: for what comes after the runtime's end.
const agpu__device *agpu__device_get_running(void);

/// Makes the device's context current on the calling thread, as every driver
/// call needs it. Costs one thread-local load once it is. Where it fails, so
/// does the driver call that follows, with a status that says so.
void agpu__device_enter(const agpu__device *device);

#endif // ASYNC_GPU_RUNTIME_GPU_DEVICE_H
