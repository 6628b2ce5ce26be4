//===- event.h - An event of a trace ---------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a ring keeps it and a dump has it (dump_format.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_EVENT_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_EVENT_H

#include "base/trace/kinds.h"

#include <stdint.h>

/// Bits of an event's `flags`.
enum {
  AGPU__TRACE_OWN = 1,     ///< agpu__trace_claim_last
  AGPU__TRACE_SETTLED = 2, ///< its texts are copies
};

/// Bits of the third argument of AWAIT.
enum {
  AGPU__TRACE_ENQUEUED = 1, ///< until the object is enqueued, not complete
  AGPU__TRACE_THREAD = 2,   ///< a thread waits, not a task
};

typedef struct agpu__trace_event {
  int64_t time; ///< nanoseconds of CLOCK_MONOTONIC
  uint16_t kind, flags;
  uint32_t track; ///< 0: the thread's own
  uint64_t id, flow;
  const void *name;
  uint64_t args[3];
} agpu__trace_event;

_Static_assert(sizeof(agpu__trace_event) == 64, "one cache line");

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_EVENT_H
