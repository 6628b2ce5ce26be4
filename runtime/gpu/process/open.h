//===- open.h - A driver, and the parts of a device ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_PROCESS_OPEN_H
#define ASYNC_GPU_RUNTIME_GPU_PROCESS_OPEN_H

#include "gpu/device/device.h"

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

/// Opens device `ordinal` of a driver that has been started, whose context is
/// current afterwards, with all its parts. agpu__device_close ends it.
agpu_status agpu__device_open(const agpu__driver *driver, agpu_device_kind kind,
                              int32_t ordinal, agpu__shared *shared,
                              agpu__device **out_device);

/// Gives back to the driver what the device's pools have and did not need since
/// the last call. True if that was so of all of them. Any thread.
bool agpu__device_trim(const agpu__device *device);

/// The first part of closing, for all devices before any goes further: blocks
/// may hold events of other devices.
void agpu__device_free_blocks(agpu__device *device);

/// Gives back all else that was created on the device, the context at last. Its
/// work has ended, and no other thread uses it. Errors are not worth a word any
/// more: a context in error fails every call, and the process is about to end.
void agpu__device_close(agpu__device *device);

/// At the end of a process that fails: the same for the driver, in whose calls
/// no other thread is any more; memory stays, as other threads may look at it.
void agpu__device_abandon(const agpu__device *device);

#endif // ASYNC_GPU_RUNTIME_GPU_PROCESS_OPEN_H
