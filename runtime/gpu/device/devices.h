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

#ifndef ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICES_H
#define ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICES_H

#include "gpu/device/device.h"

#include <stdatomic.h>

struct agpu__shared {
  atomic_uint stream_count; ///< streams of all devices so far
  unsigned stream_limit;    ///< streams that a device has at most
  size_t keep_bytes;    ///< bytes that a device keeps in free blocks at most
  unsigned event_flags; ///< of events, beside CU_EVENT_DISABLE_TIMING
  struct agpu__completion *completion;
  struct agpu__host_memory *host_memory;
};

/// Device `ordinal`, opened when it is not. Constant and alive until the
/// runtime's end. NOT_FOUND names how many there are. A failed start is
/// remembered and its status returned again (a new reference), until
/// agpu_runtime_set_device. Any thread.
agpu_status agpu__devices_get(int32_t ordinal, const agpu__device **out_device);

/// The calling thread's default device, likewise.
agpu_status agpu__devices_get_default(const agpu__device **out_device);

/// How many the driver has, which is started. At least 1 without an error.
agpu_status agpu__devices_count(int32_t *out_count);

/// The open device behind `previous` (NULL: the first), NULL behind the last
/// one: for what is looked for on all of them, and for what comes after the
/// runtime's end, when there is none. Any thread.
const agpu__device *agpu__devices_next(const agpu__device *previous);

/// Gives back to the driver what the pools of all open devices have and did not
/// need since the last call. True if that was so of all of them: then nothing
/// is left to give back before a pool is used again. Any thread.
bool agpu__devices_trim(void);

/// The open device of that number, or NULL. Any thread.
const agpu__device *agpu__devices_find(int32_t ordinal);

/// True if more than one device is open.
bool agpu__devices_are_several(void);

/// The number of the calling thread's default device, 0 at first; and its
/// change, to any number: it is looked at when the device is asked for.
int32_t agpu__devices_default(void);
void agpu__devices_set_default(int32_t ordinal);

#endif // ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICES_H
