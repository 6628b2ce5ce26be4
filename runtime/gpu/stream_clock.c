//===- stream_clock.c - What streams already wait for
//------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/stream_clock.h"

#include "gpu/event.h"

bool agpu__stream_is_behind(agpu__pool_stream *stream,
                            const agpu__event *event) {
  if (event->stream == stream)
    return true;
  unsigned other = event->stream->number;
  if (other >= AGPU__CLOCK_STREAMS)
    return false;
  pthread_mutex_lock(&stream->lock);
  // Positions count from 0: at position 0 there is nothing to wait for.
  bool is_behind = stream->clock.of[other].reached >= event->position;
  pthread_mutex_unlock(&stream->lock);
  return is_behind;
}

/// Under the stream's lock.
static void learn(agpu__pool_stream *stream, unsigned other, uint64_t reached,
                  uint64_t since) {
  if (other >= AGPU__CLOCK_STREAMS || other == stream->number ||
      stream->clock.of[other].reached >= reached)
    return;
  stream->clock.of[other].reached = reached;
  stream->clock.of[other].since = since;
}

void agpu__stream_note_wait(agpu__pool_stream *stream,
                            const agpu__event *event) {
  // One lock after the other: two streams may wait for each other's events at
  // the same time.
  pthread_mutex_lock(&event->stream->lock);
  agpu__stream_clock known = event->stream->clock;
  pthread_mutex_unlock(&event->stream->lock);
  pthread_mutex_lock(&stream->lock);
  // The wait has been counted, so events from here on are behind it.
  uint64_t since =
      atomic_load_explicit(&stream->position, memory_order_relaxed);
  learn(stream, event->stream->number, event->position, since);
  for (unsigned i = 0; i < AGPU__CLOCK_STREAMS; ++i)
    if (known.of[i].since <= event->position)
      learn(stream, i, known.of[i].reached, since);
  pthread_mutex_unlock(&stream->lock);
}
