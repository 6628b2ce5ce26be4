//===- ordered.h - The driver's memory pool -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory in the order of a stream is of the device's default pool, which other
// libraries of the process use, too. Left as it is, it gives all that is free
// back to the system with each synchronisation.
//
// The device has been entered. Where the driver refuses, pools are as they
// were: nothing depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_MEMORY_ORDERED_H
#define ASYNC_GPU_RUNTIME_GPU_MEMORY_ORDERED_H

#include "gpu/device/device.h"

/// Has the pool hold onto ASYNC_GPU_KEEP_BYTES of free memory, unless it holds
/// onto more already.
void agpu__ordered_open(agpu__device *device);

/// Has it give back what is free. May wait for the device.
void agpu__ordered_trim(const agpu__device *device);

/// Puts back what agpu__ordered_open has found, unless another has set it
/// since.
void agpu__ordered_close(const agpu__device *device);

#endif // ASYNC_GPU_RUNTIME_GPU_MEMORY_ORDERED_H
