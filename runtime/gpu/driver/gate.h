//===- gate.h - Being inside the gate of the driver ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function of the gated table goes in and out for itself. What is done in
// every region goes in once, and calls the table behind the gate.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DRIVER_GATE_H
#define ASYNC_GPU_RUNTIME_GPU_DRIVER_GATE_H

#include "base/os/platform.h"
#include "base/report/assert.h"
#include "gpu/driver/driver.h"

#include <stdatomic.h>
#include <sys/queue.h>

/// One thread's, which alone writes `inside`.
typedef struct agpu__gate_slot {
  AGPU__CACHE_APART atomic_uint inside; ///< times that the thread is
  LIST_ENTRY(agpu__gate_slot) link;     ///< of all threads that have called
} agpu__gate_slot;

/// Whether to go in takes more than agpu__gate_enter: the gate is closed, or
/// the kernel makes no barriers for others.
extern atomic_bool agpu__gate_is_slow;

static inline void agpu__gate_leave(agpu__gate_slot *own) {
  unsigned inside = atomic_load_explicit(&own->inside, memory_order_relaxed);
  AGPU__ASSERT(inside > 0);
  // Release, with the load in is_any_inside: what the call did comes before
  // what is done after the closed gate.
  atomic_store_explicit(&own->inside, inside - 1, memory_order_release);
}

/// False, and not inside: that takes more.
static inline bool agpu__gate_enter(agpu__gate_slot *own) {
  unsigned inside = atomic_load_explicit(&own->inside, memory_order_relaxed);
  atomic_store_explicit(&own->inside, inside + 1, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(!atomic_load(&agpu__gate_is_slow), 1))
    return true;
  agpu__gate_leave(own);
  return false;
}

/// Goes in for several calls, or for one with many parameters: `*driver` is the
/// table behind the gate until agpu__gate_end of the result. NULL, and it stays
/// as it is, where that takes more: on a thread's first call, once the gate is
/// closed, of a table without one. Any thread.
static inline agpu__gate_slot *agpu__gate_begin(const agpu__driver **driver) {
  const agpu__thread_self *self = agpu__self_known;
  const agpu__driver *guarded = (*driver)->guarded;
  agpu__gate_slot *own = self && guarded ? self->gpu.gate : NULL;
  if (!own || !agpu__gate_enter(own))
    return NULL;
  *driver = guarded;
  return own;
}

static inline void agpu__gate_end(agpu__gate_slot *begun) {
  if (begun)
    agpu__gate_leave(begun);
}

#endif // ASYNC_GPU_RUNTIME_GPU_DRIVER_GATE_H
