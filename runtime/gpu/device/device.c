//===- device.c - One device ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a device's number to its context, and the context of each thread. Leaves
// the parts of a device to those who own them.
//
// Copies between devices need nothing: the driver goes through the host where
// it must. Kernels reach another device's memory only where the hardware does
// and access has been switched on: for memory of cuMemAlloc between contexts,
// for stream-ordered memory on its pool. What fails here leaves things as they
// were, and a kernel that relies on it fails as the driver has it.
//
//===----------------------------------------------------------------------===//

#include "gpu/device/device.h"

#include "base/report/log.h"

void agpu__device_switch_to(const agpu__device *device) {
  // What is there and not the runtime's is somebody else's.
  if (agpu__self.gpu.current != agpu__self.gpu.entered)
    agpu__self.gpu.found = agpu__self.gpu.current;
  CUcontext entered = device->context;
  if (device->driver->cuCtxSetCurrent(entered) != CUDA_SUCCESS) {
    // Or what follows would be made on another device.
    (void)device->driver->cuCtxSetCurrent(NULL);
    entered = NULL;
  }
  agpu__self.gpu.entered = agpu__self.gpu.current = entered;
}

void agpu__device_enter(const agpu__device *device) {
  agpu__device_enter_inline(device);
}

void agpu__device_switch_back(const agpu__device *device) {
  if (agpu__device_ask_current(device) == agpu__self.gpu.entered &&
      device->driver->cuCtxSetCurrent(agpu__self.gpu.found) != CUDA_SUCCESS)
    (void)device->driver->cuCtxSetCurrent(NULL);
  agpu__self.gpu.entered = agpu__self.gpu.found = agpu__self.gpu.current = NULL;
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

// An integrated device without that reaches what was allocated or registered
// through the driver alone. Drivers that do not know the attribute have none.
static agpu_status get_reach(const agpu__driver *driver, CUdevice handle,
                             bool *out_reaches) {
  int value = 0;
  CUresult result = driver->cuDeviceGetAttribute(
      &value, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, handle);
  *out_reaches = !result && value;
  if (result && result != CUDA_ERROR_INVALID_VALUE)
    return agpu__driver_error(driver, result, NULL,
                              "asking whether the device reaches the host's "
                              "memory");
  return AGPU_OK;
}

agpu_status agpu__device_reaches_host(const agpu__device *device,
                                      bool *out_reaches) {
  const agpu__emu_extension *emulated = agpu__driver_get_extension();
  if (emulated)
    emulated->become_unified();
  return get_reach(device->driver, device->handle, out_reaches);
}

agpu_status agpu__devices_reach_host(const agpu__driver *driver, int count,
                                     bool *out_reach) {
  const agpu__emu_extension *emulated = agpu__driver_get_extension();
  agpu_status status = AGPU_OK;
  *out_reach = emulated ? emulated->wants_unified : true;
  for (int i = 0; !emulated && i < count && *out_reach && !status; ++i) {
    CUdevice handle;
    CUresult result = driver->cuDeviceGet(&handle, i);
    status = result ? agpu__driver_error(driver, result, NULL,
                                         "opening device %d", i)
                    : get_reach(driver, handle, out_reach);
  }
  return status;
}

agpu_status agpu__devices_count_multiprocessors(const agpu__driver *driver,
                                                int count, int *out_fewest) {
  agpu_status status = AGPU_OK;
  for (int i = 0, found; i < count && !status; ++i) {
    agpu__device device = {.driver = driver, .ordinal = i};
    CUresult result = driver->cuDeviceGet(&device.handle, i);
    status =
        result
            ? agpu__driver_error(driver, result, NULL, "opening device %d", i)
            : get_attribute(&device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                            &found);
    if (!status && (i == 0 || found < *out_fewest))
      *out_fewest = found;
  }
  return status;
}

static agpu_status describe(agpu__device *device) {
  int pools = 0;
  agpu_status status =
      get_attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools);
  // Drivers from before memory pools do not know the attribute.
  agpu_status_release(status);
  device->memory_pools = !status && pools && device->driver->cuMemAllocAsync &&
                         device->driver->cuMemFreeAsync;
  // Drivers that do not know the attribute have no other addresses.
  int same = 1;
  status = get_attribute(
      device, CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
      &same);
  device->host_addresses = status || same;
  agpu_status_release(status);
  int concurrent = 0;
  status = get_attribute(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                         &concurrent);
  device->managed_is_concurrent = !status && concurrent;
  agpu_status_release(status);
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

/// Sets how large the heap of its kernels is. The device has been entered.
static agpu_status set_heap(const agpu__device *device, size_t bytes) {
  const agpu__driver *driver = device->driver;
  CUresult result =
      !driver->cuCtxSetLimit
          ? CUDA_ERROR_NOT_SUPPORTED
          : driver->cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, bytes);
  if (result)
    return agpu__driver_error(
        driver, result, NULL,
        "setting the heap of kernels of device %d to %zu bytes "
        "(ASYNC_GPU_HEAP_BYTES; it cannot be changed once kernels have used "
        "it)",
        (int)device->ordinal, bytes);
  return AGPU_OK;
}

agpu_status agpu__device_retain(const agpu__driver *driver,
                                agpu_device_kind kind, int32_t ordinal,
                                agpu__shared *shared,
                                agpu__device *out_device) {
  agpu__device *device = out_device;
  *device =
      (agpu__device){.driver = driver,
                     .opening = 1 + atomic_fetch_add(&shared->openings, 1),
                     .kind = kind,
                     .ordinal = ordinal,
                     .shared = shared};
  CUresult result = driver->cuDeviceGet(&device->handle, ordinal);
  if (result)
    return agpu__driver_error(driver, result, NULL, "opening device %d",
                              (int)ordinal);
  agpu_status status = describe(device);
  if (status)
    return status;
  result = driver->cuDevicePrimaryCtxRetain(&device->context, device->handle);
  if (result)
    return agpu__driver_error(driver, result, NULL,
                              "retaining the primary context of device %d",
                              (int)ordinal);
  agpu__device_enter(device);
  if (shared->heap_bytes)
    status = set_heap(device, shared->heap_bytes);
  if (status)
    agpu__device_release(device);
  return status;
}

void agpu__device_release(const agpu__device *device) {
  if (agpu__self.gpu.entered)
    agpu__device_switch_back(device);
  (void)device->driver->cuDevicePrimaryCtxRelease(device->handle);
}

//===----------------------------------------------------------------------===//
// Access between devices
//===----------------------------------------------------------------------===//

static CUresult open_pool(const agpu__device *device,
                          const agpu__device *peer) {
  const agpu__driver *driver = device->driver;
  if (!peer->memory_pools || !driver->cuDeviceGetDefaultMemPool ||
      !driver->cuMemPoolSetAccess)
    return CUDA_SUCCESS;
  CUmemoryPool pool;
  CUresult result = driver->cuDeviceGetDefaultMemPool(&pool, peer->handle);
  if (result)
    return result;
  const CUmemAccessDesc access = {
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  return driver->cuMemPoolSetAccess(pool, &access, 1);
}

/// `device` gets at the memory of `peer`.
static void open_memory(const agpu__device *device, const agpu__device *peer) {
  const agpu__driver *driver = device->driver;
  int can = 0;
  CUresult result =
      driver->cuDeviceCanAccessPeer(&can, device->handle, peer->handle);
  if (!result && can) {
    agpu__device_enter(device);
    result = driver->cuCtxEnablePeerAccess(peer->context, 0);
    // Another library of the process has been there.
    if (result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
      result = CUDA_SUCCESS;
    CUresult pool = open_pool(device, peer);
    result = result ? result : pool;
  }
  const char *name = NULL;
  if (result && driver->cuGetErrorName(result, &name) != CUDA_SUCCESS)
    name = NULL;
  if (result || !can)
    agpu__log(AGPU__LOG_DEVICE,
              "kernels of device %d cannot use memory of "
              "device %d: %s",
              (int)device->ordinal, (int)peer->ordinal,
              !result ? "the devices have no way to"
              : name  ? name
                      : "unknown result");
}

void agpu__device_connect(const agpu__device *device,
                          const agpu__device *peer) {
  open_memory(peer, device);
  open_memory(device, peer);
  agpu__device_enter(device);
}
