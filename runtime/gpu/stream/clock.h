//===- clock.h - What streams already wait for --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector clock for each stream: up to which position of every other stream
// its later work is known to follow. A wait for an event that such a
// position covers says nothing new, whether the stream has waited for that
// stream itself or for one that had.
//
// An event takes along what its stream knows when the driver is told of it: all
// of that are waits that come before it on the stream.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_CLOCK_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// Streams with higher numbers are not followed: no wait for them is saved. As
/// many as there are unless ASYNC_GPU_STREAMS is larger.
#define AGPU__CLOCK_STREAMS 32

typedef struct agpu__event agpu__event;
typedef struct agpu__pool_stream agpu__pool_stream;

/// By the number of another stream, the position there; 0: none. A stream's is
/// written under its lock, each position atomically: who looks without the lock
/// does so, too. An event's is constant once it is recorded.
typedef struct agpu__stream_clock {
  unsigned count; ///< entries from there on are 0
  uint64_t reached[AGPU__CLOCK_STREAMS];
} agpu__stream_clock;

/// Whether all later work on `stream` follows `event` as it is. Any thread.
bool agpu__stream_is_behind(const agpu__pool_stream *stream,
                            const agpu__event *event);

/// Whether `event`, which is recorded, may follow what came later than
/// `earlier` on that one's stream. Any thread.
bool agpu__event_may_follow(const agpu__event *event,
                            const agpu__event *earlier);

/// `event` is about to be recorded. Under its stream's lock.
void agpu__event_take_clock(agpu__event *event);

/// `stream` has been made to wait for `event`, and counted that. Any thread.
void agpu__stream_note_wait(agpu__pool_stream *stream,
                            const agpu__event *event);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_CLOCK_H
