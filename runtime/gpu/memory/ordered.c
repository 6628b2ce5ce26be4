//===- ordered.c - The driver's memory pool -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a threshold, or with memory that is checked, where what is freed has
// to be gone, the pool stays untouched.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/memory.h"

static bool get_threshold(const agpu__device *device, uint64_t *out) {
  return device->driver->cuMemPoolGetAttribute(
             device->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, out) ==
         CUDA_SUCCESS;
}

static bool set_threshold(const agpu__device *device, uint64_t bytes) {
  return device->driver->cuMemPoolSetAttribute(
             device->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes) ==
         CUDA_SUCCESS;
}

void agpu__ordered_open(agpu__device *device) {
  const agpu__driver *driver = device->driver;
  uint64_t keep = device->shared->keep_bytes;
  if (!device->memory_pools || !keep || agpu__driver_checks_memory(driver) ||
      !driver->cuDeviceGetDefaultMemPool || !driver->cuMemPoolGetAttribute ||
      !driver->cuMemPoolSetAttribute || !driver->cuMemPoolTrimTo ||
      driver->cuDeviceGetDefaultMemPool(&device->pool, device->handle) ||
      !get_threshold(device, &device->found_threshold) ||
      device->found_threshold >= keep || !set_threshold(device, keep))
    device->pool = NULL;
}

void agpu__ordered_trim(const agpu__device *device) {
  if (device->pool)
    (void)device->driver->cuMemPoolTrimTo(device->pool, 0);
}

void agpu__ordered_close(const agpu__device *device) {
  uint64_t now;
  if (!device->pool || !get_threshold(device, &now) ||
      now != device->shared->keep_bytes)
    return;
  agpu__ordered_trim(device);
  (void)set_threshold(device, device->found_threshold);
}
