//===- copies.c - Copies of cp.async --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's copies wait in a list. Those of a group are made when the thread
// waits for the group, those that an mbarrier waits for when nothing else can
// go on: not before, and, of those that end together, in an order that the seed
// draws. What was begun is checked at once, so that a wrong address is reported
// at its instruction.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/native_thread.h"
#include "emu/base/settings.h"
#include "emu/simt/async.h"

#include <stdlib.h>
#include <string.h>

static agpu__emu_copies *copies_of(agpu__emu_runner *runner, uint32_t thread) {
  agpu__emu_async *async = agpu__emu_async_get(runner);
  if (!async->copies)
    async->copies = calloc(runner->thread_count, sizeof *async->copies);
  if (!async->copies)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its copies");
  return &async->copies[thread];
}

static void add(agpu__emu_copies *copies, const agpu__emu_copy *copy) {
  copies->data = agpu__emu_grow(copies->data, copies->count, &copies->capacity,
                                sizeof *copies->data);
  copies->data[copies->count++] = *copy;
}

/// Makes a copy, or the arrival that stands for those before it.
static void end_copy(agpu__emu_copy *copy, agpu__emu_phase_record *record) {
  if (copy->flight)
    AGPU__EMU_TELL(flight_ends, (copy->flight, record));
  if (copy->copied)
    memcpy(copy->to, copy->from, copy->copied);
  memset((char *)copy->to + copy->copied, 0, copy->bytes - copy->copied);
}

/// Makes copies `first` to before `end`, some of which may be arrivals that
/// stay. With a seed, they end in any order.
static void end_copies(agpu__emu_runner *runner, agpu__emu_copies *copies,
                       uint32_t first, uint32_t end,
                       agpu__emu_phase_record *record) {
  if (agpu__emu_get_settings()->seeded)
    for (uint32_t i = first; i + 1 < end; ++i) {
      uint64_t draw = agpu__emu_random_next(&runner->random);
      agpu__emu_copy *other = &copies->data[i + draw % (end - i)];
      if (!other->bytes || !copies->data[i].bytes)
        continue;
      agpu__emu_copy kept = copies->data[i];
      copies->data[i] = *other;
      *other = kept;
    }
  uint32_t left = 0;
  for (uint32_t i = 0; i < copies->count; ++i) {
    agpu__emu_copy *copy = &copies->data[i];
    if (i < first || i >= end || !copy->bytes)
      copies->data[left++] = *copy;
    else
      end_copy(copy, record);
  }
  copies->count = left;
}

void agpu_native_copy_async(void *to, const void *from, uint32_t bytes,
                            uint32_t copied, const char *location, uint32_t x,
                            uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  if (copied > bytes)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "copies %u of %u bytes", copied, bytes);
  agpu__emu_flight flight = {
      .target = runner,
      .to = (uintptr_t)to,
      .to_bytes = bytes,
      .thread = agpu__emu_thread_number(runner, x, y, z),
      .location = location,
      .wait = "wait for its group (cp.async.wait_group) or its mbarrier"};
  if (agpu__emu_checks_accesses()) {
    to = agpu_native_check(to, bytes, bytes, AGPU_NATIVE_SHARED, location, x, y,
                           z);
    from =
        agpu_native_check((void *)(uintptr_t)from, copied, copied ? bytes : 1,
                          AGPU_NATIVE_READS, location, x, y, z);
  }
  uint32_t number = 0;
  if (agpu__emu_hooks_table.flight_begins)
    number = agpu__emu_hooks_table.flight_begins(&flight);
  agpu__emu_copies *copies = copies_of(runner, flight.thread);
  add(copies, &(agpu__emu_copy){.to = to,
                                .from = from,
                                .bytes = bytes,
                                .copied = copied,
                                .group = copies->closed,
                                .flight = number,
                                .location = location});
}

void agpu__emu_copies_commit(agpu__emu_runner *runner, uint32_t thread) {
  ++copies_of(runner, thread)->closed;
}

void agpu__emu_copies_wait(agpu__emu_runner *runner, uint32_t thread,
                           uint32_t pending) {
  agpu__emu_copies *copies = copies_of(runner, thread);
  uint32_t end = 0;
  while (end < copies->count &&
         copies->data[end].group + pending < copies->closed)
    ++end;
  end_copies(runner, copies, 0, end, NULL);
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

void agpu_native_track_copies(void *barrier, uint32_t counted,
                              const char *location, uint32_t x, uint32_t y,
                              uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_phase *phase = agpu__emu_phase_find(barrier, &actor);
  if (!counted)
    agpu__emu_phase_add_arrival(phase, &actor);
  agpu__emu_copies *copies =
      copies_of(runner, agpu__emu_thread_number(runner, x, y, z));
  add(copies, &(agpu__emu_copy){.to = barrier,
                                .group = copies->closed,
                                .location = location});
  ++runner->async->arrivals;
}

/// The `wanted`-th of the block's first arrivals of a thread.
static uint32_t find_arrival(const agpu__emu_runner *runner, uint64_t wanted,
                             uint32_t *out_index) {
  uint32_t thread = 0, found = 0;
  for (uint64_t seen = 0; thread < runner->thread_count; ++thread) {
    const agpu__emu_copies *copies = &runner->async->copies[thread];
    for (uint32_t i = 0; i < copies->count; ++i) {
      if (copies->data[i].bytes)
        continue;
      found = thread;
      *out_index = i;
      if (seen++ == wanted)
        return found;
      break; // the next ones wait for it
    }
  }
  return found;
}

bool agpu__emu_copies_end_one(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  if (!async || !async->arrivals)
    return false;
  uint64_t wanted = agpu__emu_get_settings()->seeded
                        ? agpu__emu_random_next(&runner->random) %
                              runner->thread_count % async->arrivals
                        : 0;
  uint32_t index = 0, thread = find_arrival(runner, wanted, &index);
  agpu__emu_copies *copies = &async->copies[thread];
  const agpu__emu_copy arrival = copies->data[index];
  const uint32_t *size = runner->block.block_dim;
  const agpu__emu_actor actor = {arrival.location,
                                 {thread % size[0], thread / size[0] % size[1],
                                  thread / (size[0] * size[1])}};
  agpu__emu_phase *phase = agpu__emu_phase_find(arrival.to, &actor);
  memmove(&copies->data[index], &copies->data[index + 1],
          (copies->count - index - 1) * sizeof *copies->data);
  --copies->count;
  --async->arrivals;
  end_copies(runner, copies, 0, index, &phase->record);
  agpu__emu_phase_complete(phase, 1, 0, &actor);
  return true;
}
