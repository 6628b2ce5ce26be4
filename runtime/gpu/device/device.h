//===- device.h - One device --------------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of the driver in use, with its primary context, as the files know it
// that keep something there: each of them has its own part, and none knows the
// others'. process/open.c makes and ends the parts, process/devices.h has the
// devices of the process.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H
#define ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H

#include "async/work.h"
#include "async_gpu/runtime.h"
#include "base/os/self.h"
#include "base/sync/lock.h"
#include "gpu/driver/driver.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct agpu__device agpu__device;

/// What all devices share. Constant while there is one, where no comment says
/// otherwise.
typedef struct agpu__shared {
  unsigned stream_limit; ///< streams that a device has at most
  size_t keep_bytes;     ///< bytes that a device keeps in free blocks at most
  size_t heap_bytes;     ///< that kernels of a device share; 0: not set
  int graphs;            ///< ASYNC_GPU_GRAPHS (graph/site.c)
  const agpu__work_ops *event_ops; ///< what events are to objects
  unsigned event_flags;            ///< what events are created with
  struct agpu__completion *completion;
  /// Functions that are to run after events and have not (completion.h).
  atomic_uint deferred;
  struct agpu__host_memory *host_memory;
  struct agpu__pins *pins;
  atomic_uint stream_count;   ///< streams of all devices so far
  _Atomic(uint64_t) openings; ///< of devices, in the process so far
  /// Those that are open, by their numbers. Release and acquire: who sees one
  /// sees what is in it.
  _Atomic(agpu__device *) open[AGPU__MAX_DEVICES];
  // Functions that kernels' descriptors cache (kernel/module.c), also of those
  // that no device has loaded any more.
  agpu__lock functions_lock;
  struct agpu__function *functions AGPU__GUARDED_BY(functions_lock);
} agpu__shared;

struct agpu__device {
  const agpu__driver *driver;
  uint64_t opening;      ///< a number that no other opening has, from 1
  agpu_device_kind kind; ///< CUDA or EMU
  int32_t ordinal;
  CUdevice handle;
  CUcontext context; ///< the primary one, retained
  uint32_t chip;     ///< 75 for sm_75; 0 where images are not PTX
  bool memory_pools; ///< stream-ordered allocation is there
  /// The host may touch managed memory while the device works. Elsewhere memory
  /// for both is the host's.
  bool managed_is_concurrent;
  /// Kernels can be given the addresses that the host has of registered memory.
  bool host_addresses;
  /// The default pool, if memory/ordered.c has set it; and what it has found.
  CUmemoryPool pool;
  uint64_t found_threshold;
  agpu__shared *shared;
  const agpu__work_ops *event_ops; ///< what its events are to objects
  /// Of a device that records (graph/record.h), else as here. Its events are
  /// of this one's context; NULL: of its own.
  const agpu__device *events_of;
  /// Others, a bit each, whose failure is also that of what its events follow.
  uint64_t foreign;

  // What it owns; each is the file's of that name.
  struct agpu__stream_pool *streams;
  struct agpu__event_pool *events;
  struct agpu__block_pool *blocks;
  struct agpu__module_set *modules;
  struct agpu__raw_modules *raw_modules;
};

static inline uint64_t agpu__device_bit(const agpu__device *device) {
  return (uint64_t)1 << device->ordinal;
}

/// Describes device `ordinal` of a driver that has been started, retains its
/// primary context, and enters it. agpu__device_release ends it.
agpu_status agpu__device_retain(const agpu__driver *driver,
                                agpu_device_kind kind, int32_t ordinal,
                                agpu__shared *shared, agpu__device *out_device);

/// Gives the context back. The device has been entered.
void agpu__device_release(const agpu__device *device);

/// The calling thread's context, now. Foreign code that has run on the thread
/// since may have changed it; the runtime's own is what a driver without a word
/// for that has.
static inline CUcontext agpu__device_ask_current(const agpu__device *device) {
  agpu__thread_self *self = &agpu__self;
  CUresult (*ask)(CUcontext *) = device->driver->cuCtxGetCurrent;
  if (!ask || ask(&self->gpu.current))
    self->gpu.current = self->gpu.entered;
  return self->gpu.current;
}

/// Makes the device's context current on the calling thread, where it is not.
/// Every driver call needs it. Where it fails no context is current, so that
/// the driver call that follows fails, too, with a status that says so.
void agpu__device_enter(const agpu__device *device);
void agpu__device_switch_to(const agpu__device *device);

/// The same inline, for what every region does.
static inline void agpu__device_enter_inline(const agpu__device *device) {
  if (agpu__device_ask_current(device) != device->context)
    agpu__device_switch_to(device);
}

/// The same where the calling thread has entered a device before, and no code
/// but the runtime's and the driver's has run on it since: nothing is asked.
static inline void agpu__device_enter_again(const agpu__device *device) {
  if (agpu__self.gpu.current != device->context)
    agpu__device_switch_to(device);
}

/// Puts back what was found, unless somebody else has changed it since.
void agpu__device_switch_back(const agpu__device *device);

/// At the end of a call of the program's: makes the context current that was
/// before the thread entered a device, where it has. A thread that had none
/// keeps that of device 0, as it has from the CUDA runtime.
static inline void agpu__device_leave(const agpu__device *device) {
  const agpu__thread_self *self = agpu__self_known;
  if (self && (self->gpu.entered || self->gpu.found) &&
      (self->gpu.found || self->gpu.entered != device->context ||
       device->ordinal))
    agpu__device_switch_back(device);
}

/// Whether kernels of the device reach all memory of the host, so that a
/// program that gives them any can be loaded. The emulated device becomes such
/// a one where it may.
agpu_status agpu__device_reaches_host(const agpu__device *device,
                                      bool *out_reaches);

/// Whether the first `count` devices do, all of them, or will for a program
/// that is compiled for that.
agpu_status agpu__devices_reach_host(const agpu__driver *driver, int count,
                                     bool *out_reach);

/// How many multiprocessors that one of the first `count` devices has that has
/// fewest.
agpu_status agpu__devices_count_multiprocessors(const agpu__driver *driver,
                                                int count, int *out_fewest);

/// Lets each of the two reach the other's memory, as far as they can.
/// Leaves `device` entered.
void agpu__device_connect(const agpu__device *device, const agpu__device *peer);

#endif // ASYNC_GPU_RUNTIME_GPU_DEVICE_DEVICE_H
