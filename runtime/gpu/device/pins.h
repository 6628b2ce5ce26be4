//===- pins.h - Pages of the host that devices know ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver registers whole pages, and each at most once; memory that programs
// register begins anywhere. So ranges share the pages that they have in common,
// and only pages that no range has had are registered with the driver.
//
// Any thread. The device has been entered, and the driver's gate: who closes it
// finds all that is registered.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DEVICE_PINS_H
#define ASYNC_GPU_RUNTIME_GPU_DEVICE_PINS_H

#include "gpu/device/device.h"

typedef struct agpu__pins agpu__pins;

agpu__pins *agpu__pins_create(void);

/// Has the pages of the range (`bytes` is not 0) registered. Memory that the
/// process may only read is registered for reading. After an error all is as
/// before.
CUresult agpu__pins_add(const agpu__device *device, const void *pointer,
                        size_t bytes);

/// Unregisters those pages of a range of agpu__pins_add that no other has.
/// DEINITIALIZED: the process fails, and nothing has been done.
CUresult agpu__pins_remove(const agpu__device *device, const void *pointer,
                           size_t bytes);

/// How much of the range lies as its beginning does: on pages that the driver
/// was told of by one call, or on none. Copies and fills of the driver's take
/// no more. Any thread.
size_t agpu__pins_get_part(agpu__pins *pins, CUdeviceptr pointer, size_t bytes);

static inline bool agpu__pins_split(agpu__pins *pins, CUdeviceptr pointer,
                                    size_t bytes) {
  return agpu__pins_get_part(pins, pointer, bytes) < bytes;
}

/// Has the driver forget all of them. No other thread calls it any more.
void agpu__pins_abandon(agpu__pins *pins, const agpu__driver *driver);

/// Frees them; the driver knows nothing of them any more.
void agpu__pins_destroy(agpu__pins *pins);

#endif // ASYNC_GPU_RUNTIME_GPU_DEVICE_PINS_H
