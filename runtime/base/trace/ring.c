//===- ring.c - The events of each thread ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who stops the recording may not read a ring while its thread still writes one
// more event. A writer says that it is busy and then looks whether it may still
// record; who stops says that it may not and then looks who is busy. For one of
// the two to see the other, both need a full barrier between their store and
// their load; the writer is spared its own (base/sync/fence.h).
//
// Chunks grow from 64 to 1024 events, so that a thread that records little
// needs little. Rings of threads that have ended stay until they hold more
// than sixteen threads may; then new threads take them over, the oldest first.
//
//===----------------------------------------------------------------------===//

#include "base/trace/ring.h"

#include "base/os/clock.h"
#include "base/os/self.h"
#include "base/sync/fence.h"
#include "base/sync/mutex.h"
#include "base/trace/arena.h"
#include "base/trace/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_CHUNK 64
#define LARGEST_CHUNK 1024

/// What all threads that have ended keep, in limits of one.
#define ENDED_RINGS 16

#define PATIENCE_NS INT64_C(1000000000)

static struct {
  agpu__mutex lock;
  /// Newest first; only added to, except in the child of a fork.
  _Atomic(agpu__trace_ring *) rings;
  _Atomic(agpu__trace_track_node *) tracks;
  _Atomic(uint64_t) limit; ///< events of a thread; 0: none
  _Atomic(uint64_t) dropped_rings;
  _Atomic(agpu__trace_ranges *) ranges; ///< set before its hook is
  uint64_t ended_events AGPU__GUARDED_BY(lock);
  uint32_t track_count AGPU__GUARDED_BY(lock);
  /// The rest of a page, for what lives as long as the process.
  char *room AGPU__GUARDED_BY(lock);
  size_t room_left AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__MUTEX_INIT(AGPU__RANK_TRACE_RINGS)};

static void *allocate(size_t bytes) AGPU__REQUIRES(all.lock) {
  enum { PAGE = 1 << 14 };
  bytes = (bytes + 63) / 64 * 64;
  if (bytes > all.room_left) {
    all.room = agpu__trace_map(PAGE);
    all.room_left = all.room ? PAGE : 0;
    if (!all.room)
      return NULL;
  }
  void *memory = all.room;
  all.room += bytes;
  all.room_left -= bytes;
  return memory;
}

static void copy_name(char *to, size_t size, const char *from) {
  (void)snprintf(to, size, "%s", from ? from : "");
}

//===----------------------------------------------------------------------===//
// Rings of threads
//===----------------------------------------------------------------------===//

static void end_thread(void) {
  agpu__trace_ring *ring = agpu__self.trace.ring;
  agpu__self.trace.ring = NULL;
  if (!ring)
    return;
  agpu__mutex_lock(&all.lock);
  ring->has_ended = true;
  all.ended_events += ring->kept;
  agpu__mutex_unlock(&all.lock);
}

/// Drops all events of a ring whose thread does not write to it, and returns
/// how many there were, with those that were dropped before.
static uint64_t clear(agpu__trace_ring *ring) {
  uint64_t count = ring->dropped;
  for (agpu__trace_chunk *chunk = ring->oldest, *newer; chunk; chunk = newer) {
    newer = chunk->newer;
    count += agpu__trace_chunk_count(ring, chunk);
    agpu__trace_unmap(chunk, sizeof(*chunk) +
                                 chunk->capacity * sizeof(*chunk->events));
  }
  ring->next = ring->end = ring->last_task = NULL;
  ring->oldest = ring->newest = NULL;
  ring->kept = 0;
  ring->dropped = 0;
  return count;
}

/// The oldest ring of a thread that has ended, empty, if these hold too much.
static agpu__trace_ring *take_over(void) AGPU__REQUIRES(all.lock) {
  uint64_t most = atomic_load_explicit(&all.limit, memory_order_relaxed);
  if (most == 0 || all.ended_events <= ENDED_RINGS * most)
    return NULL;
  agpu__trace_ring *oldest = NULL;
  for (agpu__trace_ring *ring = atomic_load(&all.rings); ring;
       ring = ring->next_ring)
    if (ring->has_ended)
      oldest = ring;
  if (!oldest)
    return NULL;
  agpu__fence_store(&oldest->busy, 1);
  if (!agpu__hooks_has(AGPU__HOOK_TRACE)) { // somebody may be reading it
    atomic_store_explicit(&oldest->busy, 0, memory_order_release);
    return NULL;
  }
  all.ended_events -= oldest->kept;
  atomic_fetch_add_explicit(&all.dropped_rings, clear(oldest),
                            memory_order_relaxed);
  oldest->has_ended = false;
  atomic_store_explicit(&oldest->busy, 0, memory_order_release);
  return oldest;
}

static __attribute__((noinline, cold)) agpu__trace_ring *begin_thread(void) {
  agpu__mutex_lock(&all.lock);
  agpu__trace_ring *ring = take_over();
  bool is_new = !ring;
  if (is_new)
    ring = allocate(sizeof(*ring));
  if (ring) {
    ring->thread_id = (int)gettid();
    if (pthread_getname_np(pthread_self(), ring->name, sizeof(ring->name)) != 0)
      ring->name[0] = '\0';
    if (is_new) {
      ring->next_ring = atomic_load(&all.rings);
      atomic_store(&all.rings, ring);
    }
  }
  agpu__mutex_unlock(&all.lock);
  if (!ring)
    return NULL;
  agpu__self.trace.ring = ring;
  // Should this fail, the ring is kept for good.
  (void)agpu__self_at_end(AGPU__PART_TRACE, end_thread);
  return ring;
}

/// Makes room for one event. False where there is none: it is dropped.
static __attribute__((noinline, cold)) bool advance(agpu__trace_ring *ring) {
  uint64_t most = atomic_load_explicit(&all.limit, memory_order_relaxed);
  if (ring->newest)
    ring->newest->count = ring->newest->capacity;
  agpu__trace_chunk *chunk = NULL;
  if (most == 0 || ring->kept < most) {
    size_t capacity = ring->newest ? ring->newest->capacity * 2 : FIRST_CHUNK;
    if (capacity > LARGEST_CHUNK)
      capacity = LARGEST_CHUNK;
    chunk = agpu__trace_map(sizeof(*chunk) + capacity * sizeof(*chunk->events));
    if (chunk) {
      chunk->capacity = capacity;
      ring->kept += capacity;
    }
  }
  if (!chunk) { // the oldest one again
    chunk = ring->oldest;
    if (!chunk) {
      ++ring->dropped;
      return false;
    }
    ring->oldest = chunk->newer;
    ring->dropped += chunk->capacity;
    if (ring->newest == chunk)
      ring->newest = NULL;
  }
  chunk->newer = NULL;
  chunk->count = 0;
  if (ring->newest)
    ring->newest->newer = chunk;
  else
    ring->oldest = chunk;
  ring->newest = chunk;
  ring->next = chunk->events;
  ring->end = chunk->events + chunk->capacity;
  return true;
}

static inline void put(uint32_t track, int64_t time_ns, agpu__trace_kind kind,
                       uint64_t id, uint64_t flow, const void *name,
                       uint64_t first, uint64_t second, uint64_t third) {
  agpu__trace_ring *ring = agpu__self.trace.ring;
  if (!ring && !(ring = begin_thread()))
    return;
  agpu__fence_store(&ring->busy, 1);
  if (agpu__hooks_has(AGPU__HOOK_TRACE) &&
      (ring->next != ring->end || advance(ring))) {
    agpu__trace_event *event = ring->next;
    // What follows is not in a cache; writing waits for nothing then.
    __builtin_prefetch(event + 8, 1);
    *event = (agpu__trace_event){.time = time_ns,
                                 .kind = (uint16_t)kind,
                                 .track = track,
                                 .id = id,
                                 .flow = flow,
                                 .name = name,
                                 .args = {first, second, third}};
    ring->last_task =
        kind == AGPU__TRACE_QUEUE || kind == AGPU__TRACE_AWAIT ? event : NULL;
    ring->next = event + 1;
  }
  atomic_store_explicit(&ring->busy, 0, memory_order_release);
}

void agpu__trace_record(agpu__trace_kind kind, uint64_t id, uint64_t flow,
                        const void *name, uint64_t first, uint64_t second,
                        uint64_t third) {
  if (agpu__hooks_has(AGPU__HOOK_RANGES))
    atomic_load_explicit(&all.ranges, memory_order_relaxed)(kind, name);
  if (agpu__hooks_has(AGPU__HOOK_TRACE))
    put(AGPU__TRACE_OWN_TRACK, agpu__clock_now_ns(), kind, id, flow, name,
        first, second, third);
}

void agpu__trace_record_at(uint32_t track, int64_t time_ns,
                           agpu__trace_kind kind, uint64_t id, uint64_t flow,
                           const void *name, uint64_t first, uint64_t second,
                           uint64_t third) {
  put(track, time_ns, kind, id, flow, name, first, second, third);
}

void agpu__trace_claim_last(void) {
  agpu__trace_ring *ring = agpu__self.trace.ring;
  if (!ring)
    return;
  agpu__fence_store(&ring->busy, 1);
  if (agpu__hooks_has(AGPU__HOOK_TRACE) && ring->last_task)
    ring->last_task->flags |= AGPU__TRACE_OWN;
  atomic_store_explicit(&ring->busy, 0, memory_order_release);
}

uint32_t agpu__trace_track(const char *group, const char *name) {
  agpu__mutex_lock(&all.lock);
  agpu__trace_track_node *node = allocate(sizeof(*node));
  if (node) {
    node->id = ++all.track_count;
    copy_name(node->group, sizeof(node->group), group);
    copy_name(node->name, sizeof(node->name), name);
    node->next = atomic_load(&all.tracks);
    atomic_store(&all.tracks, node);
  }
  agpu__mutex_unlock(&all.lock);
  return node ? node->id : 0;
}

//===----------------------------------------------------------------------===//
// For who reads them
//===----------------------------------------------------------------------===//

uint64_t agpu__trace_rings_limit(void) {
  return atomic_load_explicit(&all.limit, memory_order_relaxed);
}

void agpu__trace_rings_open(uint64_t most) {
  atomic_store(&all.limit, most);
  agpu__fence_register();
}

/// Waits until its thread does not write to it, or `end`. True: it does not.
static bool wait_for_writer(const agpu__trace_ring *ring, int64_t end) {
  while (atomic_load(&ring->busy)) {
    if (agpu__clock_now_ns() >= end)
      return false;
    struct timespec pause = {.tv_nsec = 100000};
    (void)nanosleep(&pause, NULL);
  }
  return true;
}

void agpu__trace_stop(void) {
  agpu__hooks_set(AGPU__HOOK_TRACE, false);
  agpu__fence_others();
  int64_t end = agpu__clock_now_ns() + PATIENCE_NS;
  for (agpu__trace_ring *ring = atomic_load(&all.rings); ring;
       ring = ring->next_ring)
    // This thread's own may have been in the middle when the signal came.
    if (ring != agpu__self.trace.ring)
      (void)wait_for_writer(ring, end);
}

agpu__trace_ring *agpu__trace_rings(void) { return atomic_load(&all.rings); }

agpu__trace_track_node *agpu__trace_tracks(void) {
  return atomic_load(&all.tracks);
}

uint64_t agpu__trace_dropped_rings(void) {
  return atomic_load_explicit(&all.dropped_rings, memory_order_relaxed);
}

void agpu__trace_rings_clear(void) {
  int64_t end = agpu__clock_now_ns() + PATIENCE_NS;
  agpu__mutex_lock(&all.lock);
  for (agpu__trace_ring *ring = atomic_load(&all.rings); ring;
       ring = ring->next_ring) {
    // Who begins to write now finds that it may not.
    if (!wait_for_writer(ring, end))
      continue;
    if (ring->has_ended)
      all.ended_events -= ring->kept;
    (void)clear(ring);
  }
  atomic_store(&all.dropped_rings, 0);
  agpu__mutex_unlock(&all.lock);
}

/// Takes the lock in one call and gives it back in another.
AGPU__UNCHECKED_LOCKS void agpu__trace_rings_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE) {
    agpu__mutex_lock(&all.lock);
    return;
  }
  if (step == AGPU__FORK_IN_CHILD) {
    agpu__hooks_set(AGPU__HOOK_TRACE, false);
    agpu__self.trace.ring = NULL;
    for (agpu__trace_ring *ring = atomic_load(&all.rings); ring;
         ring = ring->next_ring)
      for (agpu__trace_chunk *chunk = ring->oldest, *newer; chunk;
           chunk = newer) {
        newer = chunk->newer;
        agpu__trace_unmap(chunk, sizeof(*chunk) +
                                     chunk->capacity * sizeof(*chunk->events));
      }
    atomic_store(&all.rings, NULL);
    atomic_store(&all.tracks, NULL);
    atomic_store(&all.dropped_rings, 0);
    all.ended_events = 0;
    all.track_count = 0;
  }
  agpu__mutex_unlock(&all.lock);
}

void agpu__trace_set_ranges(agpu__trace_ranges *ranges) {
  atomic_store(&all.ranges, ranges);
  agpu__hooks_set(AGPU__HOOK_RANGES, true);
}
