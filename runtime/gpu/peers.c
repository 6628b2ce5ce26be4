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

#include "gpu/device.h"

/// `device` gets at the memory of `peer`.
static void open_memory(const agpu__device *device, const agpu__device *peer) {
  const agpu__driver *driver = device->driver;
  int can = 0;
  if (driver->cuDeviceCanAccessPeer(&can, device->handle, peer->handle) || !can)
    return;
  agpu__device_enter(device);
  (void)driver->cuCtxEnablePeerAccess(peer->context, 0);
  CUmemoryPool pool;
  if (!peer->memory_pools || !driver->cuDeviceGetDefaultMemPool ||
      !driver->cuMemPoolSetAccess ||
      driver->cuDeviceGetDefaultMemPool(&pool, peer->handle))
    return;
  const CUmemAccessDesc access = {
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle},
      .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  (void)driver->cuMemPoolSetAccess(pool, &access, 1);
}

void agpu__device_connect(const agpu__device *device,
                          const agpu__device *peer) {
  open_memory(peer, device);
  open_memory(device, peer);
  agpu__device_enter(device);
}
