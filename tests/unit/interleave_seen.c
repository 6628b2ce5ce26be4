//===- interleave_seen.c - What threads have seen in a run ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a reduced search: what a thread has seen, and so does next, is told by
// which of its accesses came after which of others to the same object. A digest
// of that, of all threads, tells a state; where one comes again, with the same
// thread running and no more preemptions left, all that may follow has been or
// will be tried, and the run goes on to its end without alternatives (M.
// Musuvathi and S. Qadeer, "Partial-order reduction for context-bounded state
// exploration", MSR-TR-2007-12). An object that one thread alone accesses is no
// place for another to go on. Which ones those are is found by searching again
// with what the search before has found, until there is nothing new.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "interleave_parts.h"
#include "weak_memory.h"

#define LOCATIONS (1 << 12)

/// An object that was accessed. `run` is the last one in which it was.
typedef struct location {
  const volatile void *address;
  long run;
  uint64_t written, read; ///< digests: of the last write, of reads since
  unsigned threads;       ///< that have accessed it, as bits
  bool is_shared;         ///< as the search before has found
} location;

static location locations[LOCATIONS];
static long run_number;
static uint64_t seen[INTERLEAVE_THREADS]; // a digest for each thread

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15u + b + 0x632BE59BD9B4E019u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static location *find_location(const volatile void *address) {
  size_t slot = mix((uintptr_t)address, 0) % LOCATIONS;
  for (int i = 0; locations[slot].address != address; ++i) {
    if (!locations[slot].address) {
      locations[slot].address = address;
      break;
    }
    CHECK(i < LOCATIONS);
    slot = (slot + 1) % LOCATIONS;
  }
  location *found = &locations[slot];
  if (found->run != run_number) {
    found->run = run_number;
    found->written = found->read = 0;
  }
  return found;
}

bool interleave_seen_shared(const volatile void *object) {
  location *accessed = find_location(object);
  accessed->threads |= 1u << interleave_thread();
  return accessed->is_shared;
}

void interleave_seen_access(const volatile void *address, bool changes) {
  location *object = find_location(address);
  uint64_t *self = &seen[interleave_thread()];
  if (changes) {
    *self = mix(*self, mix(object->written, object->read));
    object->written = *self;
    object->read = 0;
  } else {
    *self = mix(*self, object->written);
    object->read += mix(*self, 1);
  }
}

uint64_t interleave_note(uint64_t digest) {
  uint64_t *self = &seen[interleave_thread()];
  return *self = mix(*self, digest);
}

void interleave_seen_meet(bool both) {
  uint64_t all = 0;
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    all = mix(all, seen[i]);
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    if (both || i == interleave_thread())
      seen[i] = mix(seen[i], all);
}

void interleave_seen_begin_run(void) {
  ++run_number;
  memset(seen, 0, sizeof(seen));
}

void interleave_seen_begin(void) { memset(locations, 0, sizeof(locations)); }

bool interleave_seen_learn(void) {
  bool any = false;
  for (location *object = locations; object < locations + LOCATIONS; ++object) {
    bool is_shared = (object->threads & (object->threads - 1)) != 0;
    any |= is_shared && !object->is_shared;
    object->is_shared |= is_shared;
  }
  return any;
}

/// States where there was a choice: digests, whose last bits are the number of
/// preemptions before.
static uint64_t *states;
static size_t state_count, state_room;
#define COUNT_MASK ((uint64_t)INTERLEAVE_MOST_PREEMPTIONS)

static bool add_state(uint64_t state, uint64_t before) {
  size_t slot = (state >> 3) % state_room;
  for (; states[slot]; slot = (slot + 1) % state_room)
    if (((states[slot] ^ state) & ~COUNT_MASK) == 0) {
      if ((states[slot] & COUNT_MASK) <= before)
        return false;
      break;
    }
  state_count += !states[slot];
  states[slot] = (state & ~COUNT_MASK) | before;
  return true;
}

static void forget_states(size_t room) {
  free(states);
  states = calloc(room, sizeof(*states));
  CHECK(states);
  state_room = room;
  state_count = 0;
}

void interleave_seen_forget_states(void) { forget_states(1 << 16); }

bool interleave_seen_new_state(int last, int preempted) {
  uint64_t state = (uint64_t)last + 1;
  for (int i = 0; i < INTERLEAVE_THREADS; ++i)
    state = mix(state, seen[i]);
  state = mix(state, (uint64_t)weak_memory_stale());
  if (state_count * 2 >= state_room) {
    uint64_t *old = states;
    size_t old_room = state_room;
    states = NULL;
    forget_states(old_room * 2);
    for (size_t i = 0; i < old_room; ++i)
      if (old[i])
        (void)add_state(old[i], old[i] & COUNT_MASK);
    free(old);
  }
  return add_state(state, (uint64_t)preempted);
}
