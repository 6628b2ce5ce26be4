//===- hooks.h - Observers of the host's points -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One flag for all that may want to hear of what the executor and its objects
// do: drawn schedules (base/sync/schedule.h) and traces (base/trace/trace.h).
// Without an observer, a point that has both is one branch that is predicted.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_HOOKS_H
#define ASYNC_GPU_RUNTIME_BASE_OS_HOOKS_H

#include "base/os/platform.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  AGPU__HOOK_SCHEDULE = 1, ///< schedule.c: there is a seed
  AGPU__HOOK_TRACE = 2,    ///< session.c: events are recorded
  AGPU__HOOK_RANGES = 4,   ///< ranges.c: a tool is told what runs
};

/// The observers. Written by agpu__hooks_set alone.
AGPU__SHARED extern uint8_t agpu__hooks;

/// Whether anybody does.
static inline bool agpu__hooks_on(void) {
  // Not one of the accesses that the tests of all interleavings count.
  return __builtin_expect(__atomic_load_n(&agpu__hooks, __ATOMIC_RELAXED), 0);
}

/// Whether one of those in `mask` does. What they wrote before is seen. As
/// agpu__hooks_set, one side of a pair of base/sync/fence.h.
static inline bool agpu__hooks_has(uint8_t mask) {
  return (__atomic_load_n(&agpu__hooks, __ATOMIC_SEQ_CST) & mask) != 0;
}

/// From now on those in `mask` listen, or do not. Any thread.
static inline void agpu__hooks_set(uint8_t mask, bool on) {
  if (on)
    (void)__atomic_fetch_or(&agpu__hooks, mask, __ATOMIC_SEQ_CST);
  else
    (void)__atomic_fetch_and(&agpu__hooks, (uint8_t)~mask, __ATOMIC_SEQ_CST);
}

#endif // ASYNC_GPU_RUNTIME_BASE_OS_HOOKS_H
