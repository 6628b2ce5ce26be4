//===- peers.c - Devices that reach each other's memory -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between devices need nothing: the driver goes through the host where
// it must. Kernels reach another device's memory only where the hardware does
// and access has been switched on: for memory of cuMemAlloc between contexts,
// for stream-ordered memory on its pool. What fails here leaves things as they
// were, and a kernel that relies on it fails as the driver has it.
//
//===----------------------------------------------------------------------===//

#include "base/report/log.h"
#include "gpu/device/device.h"

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
