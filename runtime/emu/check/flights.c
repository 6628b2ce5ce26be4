//===- flights.c - Asynchronous copies that are under way -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies that have begun and are not made are in a list, which each access goes
// through while it is not empty. When one is made it is an access like others:
// of the thread that has waited for it, or of an agent, who knows what that
// thread knew when it began, and leaves it for those that wait for the
// mbarrier's phase (thread_order.h).
//
//===----------------------------------------------------------------------===//

#include "emu/check/flights.h"

#include "async_gpu/compiled/native_thread.h"
#include "base/memory/memory.h"
#include "emu/check/products.h"
#include "emu/check/report.h"
#include "emu/check/thread_order.h"
#include "emu/check/thread_races.h"

#include <string.h>

/// Spans of shared memory, in which copies are counted: an access looks at the
/// list only where its own has any.
#define SPAN_BYTES 64u
#define SPANS 4096u

/// Boxes of tensors that are remembered, of the block or cluster.
#define MOST_BOXES 64u

typedef struct box {
  uintptr_t from;
  uint32_t bytes; ///< 0: none
  unsigned swizzle;
  const char *location;
} box;

static struct {
  agpu__emu_flight *data;         ///< location NULL and no bytes: a free entry
  uint32_t count, capacity, free; ///< free: the first entry that is, or more
  uint32_t under_way, readers;    ///< readers: those with `from`
  uint16_t spans[SPANS];
  box boxes[MOST_BOXES];
  uint32_t next_box;
} state;

static box *find_box(uintptr_t address) {
  for (uint32_t i = 0; i < MOST_BOXES; ++i)
    if (address - state.boxes[i].from < state.boxes[i].bytes)
      return &state.boxes[i];
  return NULL;
}

/// Counts the spans of [address, address + bytes), modulo SPANS.
static void count(uintptr_t address, uint32_t bytes, int change) {
  if (!bytes)
    return;
  uintptr_t last = (address + bytes - 1) / SPAN_BYTES;
  for (uintptr_t span = address / SPAN_BYTES; span <= last; ++span)
    state.spans[span % SPANS] = (uint16_t)(state.spans[span % SPANS] + change);
}

static bool is_near(uintptr_t address, uint64_t bytes) {
  uintptr_t last = (address + bytes - 1) / SPAN_BYTES;
  for (uintptr_t span = address / SPAN_BYTES; bytes && span <= last; ++span)
    if (state.spans[span % SPANS])
      return true;
  return false;
}

static bool overlap(uintptr_t a, uint64_t a_bytes, uintptr_t b,
                    uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

void agpu__emu_flights_access(const agpu__emu_runner *runner, uintptr_t address,
                              uint64_t size, uint32_t flags,
                              const char *location, uint32_t thread) {
  box *written_to = flags & AGPU_NATIVE_WRITES ? find_box(address) : NULL;
  if (written_to)
    written_to->bytes = 0;
  if (flags & AGPU_NATIVE_WRITES)
    agpu__emu_products_write(runner, address, size, location, thread);
  if (!state.under_way || !is_near(address, size))
    return;
  const uint32_t *threads = runner->block.block_dim;
  bool writes = flags & AGPU_NATIVE_WRITES;
  for (uint32_t i = 0; i < state.count; ++i) {
    const agpu__emu_flight *flight = &state.data[i];
    if (!flight->target)
      continue;
    bool written = overlap(address, size, flight->to, flight->to_bytes);
    if (!written &&
        !(writes && overlap(address, size, flight->from, flight->from_bytes)))
      continue;
    if (!agpu__emu_thread_races_is_new(flight->location, location))
      return;
    uint32_t by = flight->thread;
    agpu__emu_report(
        location, thread % threads[0], thread / threads[0] % threads[1],
        thread / (threads[0] * threads[1]),
        "%s %llu bytes at byte %zu of workgroup memory, which the asynchronous "
        "copy that thread %u,%u,%u has begun at %s is about to %s: %s",
        writes ? "writes" : "reads", (unsigned long long)size,
        (size_t)(address - (uintptr_t)flight->target->block.shared),
        by % threads[0], by / threads[0] % threads[1],
        by / (threads[0] * threads[1]),
        flight->location ? flight->location : "an unknown place",
        written ? "write" : "read", flight->wait);
    return;
  }
}

/// A copy touches nothing that another one, or a product, is about to.
static void check_copy(const agpu__emu_flight *flight) {
  const agpu__emu_runner *runner = flight->target;
  if (flight->to_bytes && state.readers)
    agpu__emu_flights_access(runner, flight->to, flight->to_bytes,
                             AGPU_NATIVE_WRITES, flight->location,
                             flight->thread);
  else if (flight->to_bytes)
    agpu__emu_products_write(runner, flight->to, flight->to_bytes,
                             flight->location, flight->thread);
  if (!flight->from_bytes)
    return;
  agpu__emu_flights_access(runner, flight->from, flight->from_bytes,
                           AGPU_NATIVE_READS, flight->location, flight->thread);
  agpu__emu_thread_races_look_beside(runner, flight->from, flight->from_bytes,
                                     flight->location,
                                     (uint16_t)flight->thread);
}

uint32_t agpu__emu_flight_begins(const agpu__emu_flight *flight,
                                 uint16_t thread) {
  check_copy(flight);
  while (state.free < state.count && state.data[state.free].target)
    ++state.free;
  if (state.free == state.capacity) {
    uint32_t capacity = state.capacity ? 2 * state.capacity : 256;
    agpu__emu_flight *more =
        agpu__memory_alloc((int64_t)(capacity * sizeof *more),
                           _Alignof(agpu__emu_flight), "the check for races");
    if (state.count)
      memcpy(more, state.data, state.count * sizeof *more);
    agpu__memory_free(state.data);
    state.data = more;
    state.capacity = capacity;
  }
  if (state.free == state.count)
    ++state.count;
  state.data[state.free] = *flight;
  state.data[state.free].begun = NULL;
  agpu__emu_threads_leave(&state.data[state.free].begun, thread);
  count(flight->to, flight->to_bytes, 1);
  count(flight->from, flight->from_bytes, 1);
  state.readers += flight->from_bytes > 0;
  ++state.under_way;
  return ++state.free;
}

/// The agent's copy reads its source, for the thread that has waited for it.
static void read_source(const agpu__emu_flight *flight, uint16_t agent) {
  agpu__emu_clock *read = NULL;
  agpu__emu_thread_races_access(flight->target, flight->from,
                                flight->from_bytes, AGPU_NATIVE_READS,
                                flight->location, agent);
  agpu__emu_threads_leave(&read, agent);
  agpu__emu_threads_take(
      read,
      (uint16_t)(agpu__emu_first_thread(flight->target) + flight->thread));
  agpu__emu_clock_free(read);
}

void agpu__emu_flight_ends(uint32_t number, agpu__emu_phase_record *record) {
  agpu__emu_flight flight = state.data[number - 1];
  count(flight.to, flight.to_bytes, -1);
  count(flight.from, flight.from_bytes, -1);
  state.data[number - 1] = (agpu__emu_flight){0};
  if (number - 1 < state.free)
    state.free = number - 1;
  state.readers -= flight.from_bytes > 0;
  --state.under_way;
  uint16_t agent = AGPU__EMU_AGENT(number);
  if (record || flight.from_bytes)
    agpu__emu_threads_act(flight.begun, agent);
  if (flight.to_bytes)
    agpu__emu_thread_races_access(flight.target, flight.to, flight.to_bytes,
                                  AGPU_NATIVE_WRITES, flight.location,
                                  record ? agent : (uint16_t)flight.thread);
  if (flight.from_bytes)
    read_source(&flight, agent);
  if (record)
    agpu__emu_threads_leave(&record->arriving, agent);
  agpu__emu_clock_free(flight.begun);
}

void agpu__emu_phase_arrived(agpu__emu_phase_record *record, uint32_t thread) {
  agpu__emu_threads_leave(&record->arriving, (uint16_t)thread);
}

void agpu__emu_phase_completed(agpu__emu_phase_record *record) {
  agpu__emu_threads_pass(&record->complete, record->arriving);
}

void agpu__emu_phase_observed(const agpu__emu_phase_record *record,
                              uint32_t thread) {
  agpu__emu_threads_take(record->complete, (uint16_t)thread);
}

void agpu__emu_phase_dropped(agpu__emu_phase_record *record) {
  agpu__emu_clock_free(record->arriving);
  agpu__emu_clock_free(record->complete);
  *record = (agpu__emu_phase_record){0};
}

//===----------------------------------------------------------------------===//
// Patterns of swizzling
//===----------------------------------------------------------------------===//

// The last boxes of tensors that were copied to shared memory. What threads
// write there themselves is theirs to swizzle: it ends a box.

static const char *swizzle_name(unsigned swizzle) {
  static const char *const names[] = {
      "not swizzled",          "swizzled by 32 bytes",  "swizzled by 64 bytes",
      "swizzled by 128 bytes", "swizzled by 128 bytes", "swizzled by 128 bytes",
      "swizzled by 128 bytes"};
  return names[swizzle];
}

void agpu__emu_tensor_loaded(const void *to, uint32_t bytes, unsigned swizzle,
                             const char *location) {
  box *old = find_box((uintptr_t)to);
  if (!old)
    old = &state.boxes[state.next_box++ % MOST_BOXES];
  *old = (box){(uintptr_t)to, bytes, swizzle, location};
}

void agpu__emu_matrix_read(const agpu__emu_runner *runner, uintptr_t address,
                           uint32_t bytes, unsigned swizzle,
                           const char *location, uint32_t thread) {
  agpu__emu_flights_access(runner, address, bytes, AGPU_NATIVE_READS, location,
                           thread);
  agpu__emu_thread_races_look(runner, address, bytes, AGPU_NATIVE_READS,
                              location, (uint16_t)thread);
  const box *of = find_box(address);
  if (!of || of->swizzle == swizzle ||
      !agpu__emu_thread_races_is_new(of->location, location))
    return;
  const uint32_t *threads = runner->block.block_dim;
  agpu__emu_report(
      location, thread % threads[0], thread / threads[0] % threads[1],
      thread / (threads[0] * threads[1]),
      "multiplies a matrix that its descriptor says is %s; the "
      "tensor copy at %s has left it %s",
      swizzle_name(swizzle), of->location ? of->location : "an unknown place",
      swizzle_name(of->swizzle));
}

void agpu__emu_flights_begin_block(void) {
  memset(state.boxes, 0, sizeof state.boxes);
  if (state.under_way)
    memset(state.spans, 0, sizeof state.spans);
  for (uint32_t i = 0; i < state.count; ++i)
    agpu__emu_clock_free(state.data[i].begun);
  state.count = state.free = state.under_way = state.readers = 0;
}

void agpu__emu_flights_reset(void) {
  agpu__emu_flights_begin_block();
  agpu__memory_free(state.data);
  memset(&state, 0, sizeof state);
}
