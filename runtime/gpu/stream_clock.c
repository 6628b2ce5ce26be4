//===- stream_clock.c - What streams already wait for ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/stream_clock.h"

#include "gpu/event.h"

bool agpu__stream_is_behind(const agpu__pool_stream *stream,
                            const agpu__event *event) {
  if (event->stream == stream)
    return true;
  unsigned other = event->stream->number;
  // Positions count from 0: at position 0 there is nothing to wait for.
  return other < AGPU__CLOCK_STREAMS &&
         atomic_load_explicit(&stream->clock.reached[other],
                              memory_order_acquire) >= event->position;
}

void agpu__event_take_clock(agpu__event *event) {
  const agpu__stream_clock *clock = &event->stream->clock;
  unsigned count = event->clock.count = clock->count;
  for (unsigned i = 0; i < count; ++i)
    event->clock.reached[i] =
        atomic_load_explicit(&clock->reached[i], memory_order_relaxed);
}

/// Under the stream's lock.
static void learn(_Atomic(uint64_t) *known, uint64_t reached) {
  if (atomic_load_explicit(known, memory_order_relaxed) < reached)
    atomic_store_explicit(known, reached, memory_order_release);
}

void agpu__stream_note_wait(agpu__pool_stream *stream,
                            const agpu__event *event) {
  agpu__stream_clock *clock = &stream->clock;
  const agpu__event_clock *more = &event->clock;
  unsigned other = event->stream->number, count = more->count;
  agpu__lock_acquire(&stream->lock);
  if (clock->count < count)
    clock->count = count;
  for (unsigned i = 0; i < count; ++i)
    learn(&clock->reached[i], more->reached[i]);
  if (other < AGPU__CLOCK_STREAMS) {
    learn(&clock->reached[other], event->position);
    if (clock->count <= other)
      clock->count = other + 1;
  }
  agpu__lock_release(&stream->lock);
}
