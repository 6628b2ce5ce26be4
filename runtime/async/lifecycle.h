//===- lifecycle.h - Start and end of the runtime ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the layers above take part in the runtime's life, which is run from
// here, without this layer knowing them.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_ASYNC_LIFECYCLE_H
#define ASYNC_GPU_RUNTIME_ASYNC_LIFECYCLE_H

#include "async_gpu/runtime.h"

#include "base/os/platform.h"

#include <stdatomic.h>
#include <stdbool.h>

/// What goes on outside of host and executor: devices that run, and messages
/// between processes.
typedef struct agpu__outside_life {
  /// Returns when all work enqueued before has ended, and each completion
  /// requested for it has been delivered (agpu__object_complete returned).
  void (*drain)(void);
  /// Whether a completion has been requested that has not been delivered. Does
  /// not block.
  bool (*is_pending)(void);
  /// Stops the device's threads and gives everything back. Called when nothing
  /// is in flight; the device may start again afterwards.
  void (*shutdown)(void);
  /// Instead of shutdown, at the end of a process that fails, while its other
  /// threads run on: gives back what can be without waiting for long.
  void (*abandon)(void);
  /// In the child of a fork: has none of the parent's devices.
  void (*forget)(void);
  /// Sets `streams` and `events`.
  void (*count)(agpu_runtime_counters *counters);
  /// Of messages: all threads of the process wait, and nothing else is pending.
  /// `rises` is another number where a thread has run since the last call. Any
  /// thread.
  void (*hear_of_rest)(uint64_t rises);
} agpu__outside_life;

/// Registers the device when it starts, and each time it starts again. `life`
/// stays valid for good. Any thread.
void agpu__set_device_life(const agpu__outside_life *life);

/// The same of what carries messages between processes, which has no `abandon`
/// and no `count`.
AGPU__SHARED void agpu__set_message_life(const agpu__outside_life *life);

/// Whether agpu__lifecycle_start was called since the last shutdown.
extern atomic_bool agpu__lifecycle_started;

/// The first of agpu__lifecycle_start.
void agpu__lifecycle_start_slowly(void);

/// Called by everything that begins to need the runtime: arranges for the end
/// when the process exits. Any thread.
static inline void agpu__lifecycle_start(void) {
  if (!atomic_load_explicit(&agpu__lifecycle_started, memory_order_acquire))
    agpu__lifecycle_start_slowly();
}

/// Whether the process is about to end.
bool agpu__lifecycle_is_exiting(void);

/// Waits until neither host nor device have work in flight. Not inside a task.
void agpu__lifecycle_quiesce(void);

#endif // ASYNC_GPU_RUNTIME_ASYNC_LIFECYCLE_H
