//===- ring_interleaved.c - The end of a trace in all interleavings -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that stops a trace reads whole events, which are no longer written,
// whether the writers make their own barriers or the kernel makes them for
// them. So does a thread that takes over the ring of one that has ended.
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "interleave_fence.h"

#include "base/os/hooks.h"

// Another thread may go on where the flag of those who listen is looked at.
static inline bool has_hook(uint8_t mask) {
  interleave_gap();
  return agpu__hooks_has(mask);
}
#define agpu__hooks_has(mask) has_hook(mask)
static inline void set_hook(uint8_t mask, bool on) {
  interleave_gap();
  agpu__hooks_set(mask, on);
}
#define agpu__hooks_set(mask, on) set_hook(mask, on)

// Waits for writers do not end by themselves.
#include <time.h>
#define nanosleep(pause, left) ((void)(pause), interleave_yield())

// The functions that these stand for are here.
#define agpu__trace_record ring_record
#define agpu__trace_claim_last ring_claim_last
#include "base/trace/ring.c"

#define THREADS 3

#include "interleave_memory.h"
#include "interleave_self.h"

int64_t agpu__clock_now_ns(void) { return 0; }

bool agpu__self_at_end(agpu__thread_part part, void (*at_end)(void)) {
  (void)part;
  return at_end == end_thread;
}

// Chunks are zero, as mapped ones are.
INTERLEAVE_UNSEEN void *agpu__trace_map(size_t bytes) {
  return memset(agpu__memory_alloc((int64_t)bytes, 64, "a chunk"), 0, bytes);
}

INTERLEAVE_UNSEEN void agpu__trace_unmap(void *memory, size_t bytes) {
  (void)bytes;
  agpu__memory_free(memory);
}

/// An event whose parts are alike, so that one in the middle shows.
static void record(uint64_t number) {
  ring_record(AGPU__TRACE_QUEUE, number, number, NULL, number, number, number);
}

// No other thread runs.
AGPU__UNCHECKED_LOCKS static void begin(void) {
  begin_blocks();
  atomic_init(&all.rings, NULL);
  atomic_init(&all.limit, 1);
  atomic_init(&all.dropped_rings, 0);
  all.ended_events = 0;
  all.room_left = 0;
  agpu__trace_rings_open(1);
  (agpu__hooks_set)(AGPU__HOOK_TRACE, true);
}

static int read_events(void) {
  int count = 0;
  for (agpu__trace_ring *ring = agpu__trace_rings(); ring;
       ring = ring->next_ring) {
    for (const agpu__trace_chunk *chunk = ring->oldest; chunk;
         chunk = chunk->newer)
      for (size_t i = 0; i < agpu__trace_chunk_count(ring, chunk);
           ++i, ++count) {
        const agpu__trace_event *event = &chunk->events[i];
        CHECK(event->id != 0 && event->flow == event->id);
        CHECK(event->args[0] == event->id && event->args[2] == event->id);
        CHECK(event->kind == AGPU__TRACE_QUEUE);
      }
  }
  return count;
}

/// Thread 0 stops the trace, reads it twice and forgets it, and the others
/// record, one of them at its end and as another thread that begins.
static void work(int thread) {
  if (thread == 0) {
    agpu__trace_stop();
    int count = read_events();
    interleave_gap();
    CHECK_EQ(read_events(), count);
    agpu__trace_rings_clear();
    CHECK_EQ(read_events(), 0);
  } else if (thread == 1) {
    record(1);
    ring_claim_last();
    record(2);
  } else {
    record(3);
    end_thread();
    record(4); // takes its own ring over
  }
}

// No other thread runs by then.
AGPU__UNCHECKED_LOCKS static void end(void) {
  for (agpu__trace_ring *ring = agpu__trace_rings(); ring;
       ring = ring->next_ring)
    (void)clear(ring);
  interleave_heap.blocks = 0;
  agpu__memory_free(NULL);
}

int main(void) {
  for (int kernel = 0; kernel < 2; ++kernel) {
    interleave_membarrier_works = kernel;
    long runs = interleave(&(interleaving){.threads = THREADS,
                                           .preemptions = 3,
                                           .stale = 1,
                                           .begin = begin,
                                           .run = work,
                                           .end = end,
                                           .enter = switch_to});
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
