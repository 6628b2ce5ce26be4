//===- completion_strategy.h - How the host hears of events -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ASYNC_GPU_COMPLETION chooses between. However the completion thread is
// told that it is time to ask the driver, the driver's answer is what counts:
// word of an event that comes late costs time and nothing else, and word that
// does not come (nothing runs in a context that has failed) is made up for by
// asking now and then.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_STRATEGY_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_STRATEGY_H

#include "base/sync/park.h"
#include "gpu/stream/event.h"

/// What the completion thread's parker is signalled with: there may be
/// something to do; nothing will come any more.
#define AGPU__COMPLETION_POKE AGPU__PARK_BIT(0)
#define AGPU__COMPLETION_STOP AGPU__PARK_BIT(1)

typedef struct agpu__completion_strategy {
  const char *name;     ///< in ASYNC_GPU_COMPLETION
  unsigned event_flags; ///< that events are created with, beside the usual
  /// NULL, or: enqueues behind `event`, which is recorded and at the end of its
  /// stream, what gives word of it. An error: there will be none. Any thread;
  /// the device has been entered.
  CUresult (*announce)(agpu__event *event, agpu__parker *thread);
  /// Threads wait in the driver, one for each stream, and poke.
  bool has_waiters;
  /// Whether word has come of `event`, which was announced. NULL: it comes as
  /// a poke.
  bool (*has_word)(const agpu__event *event);
  /// What the completion thread does between two rounds without a result, of
  /// which there were `rounds`, while something is pending of which no poke
  /// will tell.
  void (*pause)(agpu__parker *thread, unsigned rounds);
} agpu__completion_strategy;

/// The one that the environment asks for. INVALID_ARGUMENT where it asks for
/// none of them.
agpu_status
agpu__completion_strategy_read(const agpu__completion_strategy **out_strategy);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_STRATEGY_H
