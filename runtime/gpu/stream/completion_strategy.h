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
// A stream's flag is a word of host memory that the device addresses, too. It
// holds the last position of the stream (its low bits) that was announced and
// reached, so that the host sees with a load how far the stream has come.
//
// Where threads wait in the driver, each waits for one event: the completion
// thread has to hear of all streams at once, and a call that waits is about
// one.
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
  /// NULL, or: enqueues after `event`, which is recorded and at the end of its
  /// stream, what gives word of it. An error: there will be none. Any thread;
  /// the device has been entered.
  CUresult (*announce)(agpu__event *event, agpu__parker *thread);
  /// Threads wait in the driver, one for each stream, and poke.
  bool has_waiters;
  /// Whether word has come of `event`, which was announced. NULL: it comes as
  /// a poke.
  bool (*is_signaled)(const agpu__event *event);
  /// What the completion thread does between two rounds without a result, of
  /// which there were `rounds`, while something is pending of which no poke
  /// will tell.
  void (*pause)(agpu__parker *thread, unsigned rounds);
} agpu__completion_strategy;

/// The one that the environment asks for. INVALID_ARGUMENT where it asks for
/// none of them.
agpu_status
agpu__completion_strategy_read(const agpu__completion_strategy **out_strategy);

/// Has the stream of `event` write the event's position into its flag. `event`
/// is recorded, and at the stream's end: NOT_READY where more has been enqueued
/// since, else the driver's error. Any thread; the device has been entered.
CUresult agpu__stream_flag_announce(agpu__event *event);

/// Whether the stream has come to what was announced for `event`. Any thread.
bool agpu__stream_flag_is_up(const agpu__event *event);

/// Gives the flag's memory back to the driver, if the stream has one, and
/// leaves what other threads may look at. The device has been entered, and is
/// idle.
void agpu__stream_flag_abandon(const agpu__pool_stream *stream);

typedef struct agpu__event_waiters agpu__event_waiters;

/// None yet; they will signal `thread` with `bits`.
agpu__event_waiters *agpu__event_waiters_create(agpu__parker *thread,
                                                uint32_t bits);

/// Has a thread wait for `event`, which is recorded, and signal when it has
/// completed or failed. False where there is no thread for it. Takes a
/// reference itself. For one thread at a time.
bool agpu__event_waiters_give(agpu__event_waiters *waiters, agpu__event *event);

/// Ends the threads, which wait for nothing any more.
void agpu__event_waiters_destroy(agpu__event_waiters *waiters);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_COMPLETION_STRATEGY_H
