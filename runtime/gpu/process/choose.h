//===- choose.h - Choosing a driver -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_PROCESS_CHOOSE_H
#define ASYNC_GPU_RUNTIME_GPU_PROCESS_CHOOSE_H

#include "async_gpu/runtime.h"
#include "gpu/driver/driver.h"

/// The driver in use, and what its calls go through: the gate, then the log and
/// the trace where they are on.
typedef struct agpu__chosen_driver {
  agpu_device_kind kind; ///< CUDA or EMU
  const agpu__driver *driver;
  int count; ///< of its devices, at least 1, at most AGPU__MAX_DEVICES
  agpu__driver plain, tracing, logging, gated;
} agpu__chosen_driver;

/// Loads a driver of that kind (AUTO: CUDA where a device answers, else the
/// emulated device), starts it and counts its devices. Where a CUDA driver is
/// there and does not work, AUTO says so on standard error, once in a process.
agpu_status agpu__driver_choose(agpu_device_kind kind,
                                agpu__chosen_driver *out_chosen);

#endif // ASYNC_GPU_RUNTIME_GPU_PROCESS_CHOOSE_H
