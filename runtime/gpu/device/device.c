//===- device.c - One device ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/device/device.h"

#include "base/memory/memory.h"
#include "gpu/device/devices.h"
#include "gpu/kernel/module.h"
#include "gpu/memory/memory.h"
#include "gpu/stream/event.h"
#include "gpu/stream/flag.h"
#include "gpu/stream/pool.h"
#include "gpu/upstream/mgpu.h"

#include <stdatomic.h>

AGPU__HOT_THREAD_LOCAL uint64_t agpu__device_entered;

void agpu__device_switch(const agpu__device *of) {
  agpu__device_entered = 0;
  if (of->driver->cuCtxSetCurrent(of->context) == CUDA_SUCCESS)
    agpu__device_entered = of->opening;
}

static agpu_status get_attribute(const agpu__device *device,
                                 CUdevice_attribute attribute, int *out_value) {
  CUresult result = device->driver->cuDeviceGetAttribute(out_value, attribute,
                                                         device->handle);
  if (result)
    return agpu__driver_error(device->driver, result, NULL,
                              "reading attribute %d of device %d",
                              (int)attribute, (int)device->ordinal);
  return AGPU_OK;
}

static agpu_status describe(agpu__device *device) {
  int pools = 0;
  agpu_status status =
      get_attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools);
  // Drivers from before memory pools do not know the attribute.
  agpu_status_release(status);
  device->memory_pools = !status && pools && device->driver->cuMemAllocAsync &&
                         device->driver->cuMemFreeAsync;
  if (device->driver->image_format != AGPU_IMAGE_PTX)
    return AGPU_OK;
  int major = 0, minor = 0;
  status = get_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                         &major);
  if (!status)
    status = get_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                           &minor);
  device->chip = (uint32_t)(major * 10 + minor);
  return status;
}

/// From a number to a context.
static agpu_status retain_context(agpu__device *device) {
  const agpu__driver *driver = device->driver;
  CUresult result = driver->cuDeviceGet(&device->handle, device->ordinal);
  if (result)
    return agpu__driver_error(driver, result, NULL, "opening device %d",
                              (int)device->ordinal);
  agpu_status status = describe(device);
  if (status)
    return status;
  result = driver->cuDevicePrimaryCtxRetain(&device->context, device->handle);
  if (result)
    return agpu__driver_error(driver, result, NULL,
                              "retaining the primary context of device %d",
                              (int)device->ordinal);
  return AGPU_OK;
}

agpu_status agpu__device_open(const agpu__driver *driver, agpu_device_kind kind,
                              int32_t ordinal, agpu__shared *shared,
                              agpu__device **out_device) {
  static _Atomic(uint64_t) openings;
  agpu__device *device =
      agpu__memory_alloc(sizeof *device, _Alignof(agpu__device), "a device");
  *device = (agpu__device){.driver = driver,
                           .opening = atomic_fetch_add(&openings, 1) + 1,
                           .kind = kind,
                           .ordinal = ordinal,
                           .shared = shared};
  agpu_status status = retain_context(device);
  if (status) {
    agpu__memory_free(device);
    return status;
  }
  device->streams = agpu__stream_pool_create(shared->stream_limit);
  device->blocks = agpu__block_pool_create(shared->keep_bytes,
                                           device->driver->checks_memory);
  device->events = agpu__event_pool_create();
  device->flags = agpu__stream_flags_create();
  device->modules = agpu__module_set_create();
  device->mgpu_modules = agpu__mgpu_modules_create();
  agpu__device_enter(device);
  *out_device = device;
  return AGPU_OK;
}

void agpu__device_free_blocks(agpu__device *device) {
  agpu__device_enter(device);
  agpu__block_pool_destroy(device->blocks, device);
}

static void release_context(const agpu__device *device) {
  (void)device->driver->cuCtxSetCurrent(NULL);
  (void)device->driver->cuDevicePrimaryCtxRelease(device->handle);
  agpu__device_entered = 0;
}

void agpu__device_abandon(agpu__device *device) {
  agpu__device_enter(device);
  agpu__block_pool_abandon(device->blocks, device);
  agpu__stream_pool_abandon(device->streams);
  agpu__event_pool_abandon(device->events);
  agpu__stream_flags_abandon(device->flags, device);
  agpu__module_set_abandon(device->modules, device);
  agpu__mgpu_modules_abandon(device->mgpu_modules, device);
  release_context(device);
}

void agpu__device_close(agpu__device *device) {
  agpu__device_enter(device);
  agpu__stream_pool_destroy(device->streams);
  agpu__event_pool_destroy(device->events);
  agpu__stream_flags_destroy(device->flags, device);
  agpu__module_set_destroy(device->modules, device);
  agpu__mgpu_modules_destroy(device->mgpu_modules, device);
  release_context(device);
  agpu__memory_free(device);
}
