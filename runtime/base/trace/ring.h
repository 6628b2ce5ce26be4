//===- ring.h - The events of each thread -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread writes its events into chunks of its own; once it has as many as it
// may keep, the oldest chunk is used again. Nobody else looks at them before
// agpu__trace_stop has returned.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_RING_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_RING_H

#include "base/os/fork.h"
#include "base/trace/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agpu__trace_chunk {
  struct agpu__trace_chunk *newer;
  size_t capacity;
  size_t count; ///< of the newest: see agpu__trace_ring.next
  char pad[64 - sizeof(struct agpu__trace_chunk *) - 2 * sizeof(size_t)];
  agpu__trace_event events[];
} agpu__trace_chunk;

typedef struct agpu__trace_ring {
  // The thread's own.
  agpu__trace_event *next, *end; ///< in the newest chunk
  agpu__trace_event *last_task;  ///< QUEUE or AWAIT, if it was the last event
  atomic_uint busy;              ///< 1: it may be writing
  agpu__trace_chunk *oldest, *newest;
  size_t kept;      ///< events that the chunks hold
  uint64_t dropped; ///< events
  // Written while nobody else looks: by the thread as it begins.
  int thread_id;
  char name[32];
  // Under the lock of ring.c.
  bool has_ended;
  struct agpu__trace_ring *next_ring; ///< of all; does not change
} agpu__trace_ring;

/// A track of its own, as agpu__trace_track makes them; does not change.
typedef struct agpu__trace_track_node {
  struct agpu__trace_track_node *next;
  uint32_t id; ///< from 1
  char group[48], name[48];
} agpu__trace_track_node;

/// Told of each event that agpu__trace_record takes, on its thread, recorded or
/// not. From now on, for good.
typedef void agpu__trace_ranges(agpu__trace_kind kind, const void *name);
void agpu__trace_set_ranges(agpu__trace_ranges *ranges);

/// From now on threads keep `limit` events each; 0: all. Does not begin to
/// record.
void agpu__trace_rings_open(uint64_t limit);
uint64_t agpu__trace_rings_limit(void);

/// Nothing is recorded any more, and no thread writes to its ring, except for
/// one that has been stopped in the middle for a second. Signal-safe.
void agpu__trace_stop(void);

/// The newest of all rings, each with its events until the next record.
/// Signal-safe, after agpu__trace_stop.
agpu__trace_ring *agpu__trace_rings(void);
agpu__trace_track_node *agpu__trace_tracks(void);

/// Events of a chunk of `ring`.
static inline size_t agpu__trace_chunk_count(const agpu__trace_ring *ring,
                                             const agpu__trace_chunk *chunk) {
  return chunk == ring->newest ? (size_t)(ring->next - chunk->events)
                               : chunk->count;
}

/// Events of threads that have ended which were dropped for new ones.
uint64_t agpu__trace_dropped_rings(void);

/// Forgets all that has been recorded. After agpu__trace_stop, and while
/// nobody reads the rings. What a thread that has been stopped in the middle
/// has recorded stays.
void agpu__trace_rings_clear(void);

/// At a fork. The child has no rings, and records nothing.
void agpu__trace_rings_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_RING_H
