//===- clock.c - What streams already wait for ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions only grow, and are told by whoever has made the stream wait: so
// what is read without the lock is at worst too old, which costs a wait.
//
//===----------------------------------------------------------------------===//

#include "gpu/stream/clock.h"

#include "gpu/stream/event.h"

#include <string.h>

bool agpu__stream_is_behind(const agpu__pool_stream *stream,
                            const agpu__event *event) {
  if (event->stream == stream)
    return true;
  unsigned other = event->stream->number;
  // Positions count from 0: at position 0 there is nothing to wait for.
  return other < AGPU__CLOCK_STREAMS &&
         __atomic_load_n(&stream->clock.reached[other], __ATOMIC_ACQUIRE) >=
             event->position;
}

bool agpu__event_may_follow(const agpu__event *event,
                            const agpu__event *earlier) {
  if (event->stream == earlier->stream)
    return event->position > earlier->position;
  unsigned other = earlier->stream->number;
  if (other >= AGPU__CLOCK_STREAMS)
    return true; // nobody knows
  return other < event->clock.count &&
         event->clock.reached[other] > earlier->position;
}

void agpu__event_take_clock(agpu__event *event) {
  const agpu__stream_clock *clock = &event->stream->clock;
  event->clock.count = clock->count;
  memcpy(event->clock.reached, clock->reached,
         clock->count * sizeof *clock->reached);
}

/// Under the lock of the stream that learns. Release, with the acquire above: a
/// wait has been enqueued before it is known here.
static inline void learn(uint64_t *known, uint64_t reached) {
  if (*known < reached)
    __atomic_store_n(known, reached, __ATOMIC_RELEASE);
}

void agpu__stream_note_wait(agpu__pool_stream *stream,
                            const agpu__event *event) {
  agpu__stream_clock *clock = &stream->clock;
  const agpu__stream_clock *more = &event->clock;
  unsigned other = event->stream->number, count = more->count;
  agpu__lock_acquire(&stream->lock);
  if (clock->count < count)
    clock->count = count;
  // The loop is most of what a wait costs besides the driver's call.
#pragma GCC unroll 4
  for (unsigned i = 0; i < count; ++i)
    learn(&clock->reached[i], more->reached[i]);
  if (other < AGPU__CLOCK_STREAMS) {
    learn(&clock->reached[other], event->position);
    if (clock->count <= other)
      clock->count = other + 1;
  }
  agpu__lock_release(&stream->lock);
}
