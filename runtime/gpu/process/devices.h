//===- devices.h - The devices of the process ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One process uses one driver. It starts with the first call that needs it; a
// device is opened with the first call that needs that one; all are given back
// at the end of the runtime's life (async/lifecycle.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_PROCESS_DEVICES_H
#define ASYNC_GPU_RUNTIME_GPU_PROCESS_DEVICES_H

#include "gpu/device/device.h"
#include "gpu/stream/event.h"

/// Device `ordinal`, opened when it is not. Constant and alive until the
/// runtime's end. NOT_FOUND names how many there are. A failed start is
/// remembered and its status returned again (a new reference), until
/// agpu_runtime_set_device. Any thread.
agpu_status agpu__devices_get(int32_t ordinal, const agpu__device **out_device);

/// The calling thread's default device, likewise.
agpu_status agpu__devices_get_default(const agpu__device **out_device);

/// Who has chosen no device works on this one from now on, modulo their number:
/// processes of one machine share its devices out. Any thread.
AGPU__SHARED void agpu__devices_set_first(int number);

/// Whether any device is open: memory is a device's only where one is. Any
/// thread.
AGPU__SHARED bool agpu__devices_are_open(void);

/// Whether the host cannot address this memory: it is a device's alone. An
/// error where the driver does not say. Any thread.
AGPU__SHARED agpu_status agpu__devices_have(const void *memory,
                                            const char *location,
                                            bool *out_answer);

/// The open device after `previous` (NULL: the first), NULL after the last
/// one: for what is looked for on all of them, and for what comes after the
/// runtime's end, when there is none. Any thread.
const agpu__device *agpu__devices_next(const agpu__device *previous);

#define AGPU__DEVICES_FOREACH(device)                                          \
  for (const agpu__device *device = agpu__devices_next(NULL); device;          \
       device = agpu__devices_next(device))

/// The open device of that number, or NULL. Any thread.
const agpu__device *agpu__devices_find(int32_t ordinal);

/// True if more than one device is open.
bool agpu__devices_are_several(void);

// What a handle or an address is of, on any open device; NULL: of none. Any
// thread.

/// The stream of a pool.
agpu__pool_stream *agpu__devices_find_stream(CUstream handle);

/// The device that memory is a block in use of.
const agpu__device *agpu__devices_find_block(CUdeviceptr pointer);

/// The device that a module which is known by its handle is loaded on.
const agpu__device *agpu__devices_find_module(CUmodule handle);

/// Gives an event back that agpu__event_take_handle has lent. False: it has
/// not.
bool agpu__devices_give_event(CUevent handle);

#endif // ASYNC_GPU_RUNTIME_GPU_PROCESS_DEVICES_H
