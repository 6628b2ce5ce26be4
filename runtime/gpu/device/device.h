//===- device.h - One device --------------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of the driver in use, with its primary context and all that the
// runtime has created in it. devices.h is the table of them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H
#define ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H

#include "async_gpu/runtime.h"
#include "base/os/platform.h"
#include "gpu/driver/driver.h"

#include <stdbool.h>

/// What all devices share (devices.h).
typedef struct agpu__shared agpu__shared;

typedef struct agpu__device {
  const agpu__driver *driver;
  uint64_t opening;      ///< a number that no other opening has, from 1
  agpu_device_kind kind; ///< CUDA or EMU
  int32_t ordinal;
  CUdevice handle;
  CUcontext context; ///< the primary one, retained
  uint32_t chip;     ///< 75 for sm_75; 0 where images are not PTX
  bool memory_pools; ///< stream-ordered allocation is there
  agpu__shared *shared;

  // What it owns; each is the file's of that name.
  struct agpu__stream_pool *streams;
  struct agpu__event_pool *events;
  struct agpu__stream_flags *flags;
  struct agpu__block_pool *blocks;
  struct agpu__module_set *modules;
  struct agpu__mgpu_modules *mgpu_modules;
} agpu__device;

/// At most so many are used, so that a set of devices is a word.
#define AGPU__MAX_DEVICES 64

static inline uint64_t agpu__device_bit(const agpu__device *device) {
  return (uint64_t)1 << device->ordinal;
}

/// Opens device `ordinal` of a driver that has been started: retains its
/// primary context, which is current afterwards, and makes its pools.
/// agpu__device_close ends it.
agpu_status agpu__device_open(const agpu__driver *driver, agpu_device_kind kind,
                              int32_t ordinal, agpu__shared *shared,
                              agpu__device **out_device);

/// The first part of closing, for all devices before any goes further.
void agpu__device_free_blocks(agpu__device *device);

/// Gives back all else that was created on the device, the context at last. Its
/// work has ended, and no other thread uses it. Errors are not worth a word any
/// more: a context in error fails every call, and the process is about to end.
void agpu__device_close(agpu__device *device);

/// At the end of a process that fails: the same for the driver, in whose calls
/// no other thread is any more; memory stays, as other threads may look at it.
void agpu__device_abandon(agpu__device *device);

/// The opening of the device whose context is current on this thread. Its
/// address would not do: a device that is opened later may lie there.
extern AGPU__HOT_THREAD_LOCAL uint64_t agpu__device_entered;

/// Makes the device's context current on the calling thread.
void agpu__device_switch(const agpu__device *device);

/// The same where it is not current yet. Every driver call needs it. Where it
/// fails, so does the driver call that follows, with a status that says so.
static inline void agpu__device_enter(const agpu__device *device) {
  if (agpu__device_entered != device->opening)
    agpu__device_switch(device);
}

/// Lets each of the two reach the other's memory, as far as they can
/// (peers.c). Leaves `device` entered.
void agpu__device_connect(const agpu__device *device, const agpu__device *peer);

#endif // ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H
