//===- phase.c - mbarrier objects -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the mbarrier instructions of the PTX ISA do to an object, and what they
// leave undefined, which fails the launch: an object that was not initialised
// or is so twice, counts out of their range, more arrivals than a phase
// expects. A phase is over when neither arrivals nor bytes are missing; bytes
// may come before they are expected.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/phase.h"

#include "emu/base/settings.h"
#include "emu/simt/async.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Arrivals and bytes that an object can count: 2^20 - 1.
#define MOST_COUNT 0xfffffu

#define FAIL(actor, ...)                                                       \
  agpu__emu_actor_fail(actor, CUDA_ERROR_LAUNCH_FAILED, __VA_ARGS__)

_Noreturn void agpu__emu_actor_fail(const agpu__emu_actor *actor,
                                    CUresult error, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  agpu__emu_block_fail(error, actor->location, "thread %u,%u,%u %s",
                       actor->thread[0], actor->thread[1], actor->thread[2],
                       text);
}

agpu__emu_async *agpu__emu_async_get(agpu__emu_runner *runner) {
  if (!runner->async)
    runner->async = calloc(1, sizeof *runner->async);
  if (!runner->async)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its mbarriers and copies");
  return runner->async;
}

void *agpu__emu_grow(void *data, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity)
    return data;
  size_t more = *capacity ? 2 * *capacity : 8;
  void *grown = realloc(data, more * size);
  if (!grown)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for what goes on beside its threads");
  *capacity = more;
  return grown;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// What is in memory while the object is as it was left.
static uint64_t mark_of(const agpu__emu_phase *phase) {
  uint64_t state = phase->number << 40 | (uint64_t)phase->missing << 20 |
                   ((uint32_t)phase->bytes & MOST_COUNT);
  return (state ^ UINT64_C(0x6261727269657221)) * UINT64_C(0x9e3779b97f4a7c15);
}

static void write_mark(const agpu__emu_phase *phase) {
  uint64_t mark = mark_of(phase);
  memcpy(phase->place, &mark, sizeof mark);
}

static bool is_marked(const agpu__emu_phase *phase) {
  uint64_t mark;
  memcpy(&mark, phase->place, sizeof mark);
  return mark == mark_of(phase);
}

/// The object of the block at `place`, or NULL.
static agpu__emu_phase *look_up(const agpu__emu_async *async,
                                const void *place) {
  for (size_t i = 0; async && i < async->phase_count; ++i)
    if (async->phases[i].place == place)
      return &async->phases[i];
  return NULL;
}

agpu__emu_phase *agpu__emu_phase_find(const void *place,
                                      const agpu__emu_actor *actor) {
  const agpu__emu_runner *owner = agpu__emu_owner(place);
  agpu__emu_phase *phase = owner ? look_up(owner->async, place) : NULL;
  if (!owner)
    FAIL(actor, "uses an mbarrier at %p, which is not in shared memory", place);
  if (owner->has_ended)
    FAIL(actor, "uses an mbarrier of a block of its cluster that has ended");
  size_t offset = (size_t)((uintptr_t)place - (uintptr_t)owner->block.shared);
  if (!phase)
    FAIL(actor,
         "uses an mbarrier at byte %zu of workgroup memory that is not "
         "initialised",
         offset);
  if (!is_marked(phase))
    FAIL(actor,
         "uses the mbarrier at byte %zu of workgroup memory, initialised at "
         "%s, which something has overwritten",
         offset, phase->location);
  return phase;
}

static void initialise(agpu__emu_runner *runner, void *place, uint32_t count,
                       const agpu__emu_actor *actor) {
  const agpu__emu_runner *owner = agpu__emu_owner(place);
  if (owner != runner || (uintptr_t)place % sizeof(uint64_t))
    FAIL(actor,
         "initialises an mbarrier at %p, which is not in its block's "
         "shared memory, or not at a multiple of 8",
         place);
  if (!count || count > MOST_COUNT)
    FAIL(actor, "initialises an mbarrier for %u arrivals; it counts 1 to %u",
         count, MOST_COUNT);
  agpu__emu_async *async = agpu__emu_async_get(runner);
  agpu__emu_phase *phase = look_up(async, place);
  bool is_known = phase && is_marked(phase);
  if (is_known && phase->expected == count &&
      agpu__emu_get_settings()->tolerate_mbarriers)
    return; // threads that do the same at once leave what one of them does
  if (is_known)
    FAIL(actor,
         "initialises the mbarrier at byte %zu of workgroup memory again, "
         "which it is since %s: invalidate it first",
         (size_t)((uintptr_t)place - (uintptr_t)runner->block.shared),
         phase->location);
  if (!phase)
    phase = look_up(async, NULL);
  if (!phase) {
    async->phases =
        agpu__emu_grow(async->phases, async->phase_count,
                       &async->phase_capacity, sizeof *async->phases);
    phase = &async->phases[async->phase_count++];
    phase->record = (agpu__emu_phase_record){0};
  }
  AGPU__EMU_TELL(phase_used, (place, true, actor->location, actor->thread));
  agpu__emu_phase_record record = phase->record;
  AGPU__EMU_TELL(phase_dropped, (&record));
  *phase = (agpu__emu_phase){.place = place,
                             .expected = count,
                             .missing = count,
                             .location = actor->location};
  write_mark(phase);
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// The next phase begins if this one lacks nothing.
static void try_next(agpu__emu_phase *phase) {
  if (!phase->missing && !phase->bytes) {
    ++phase->number;
    phase->missing = phase->expected;
    memset(phase->arrived, 0, sizeof phase->arrived);
    AGPU__EMU_TELL(phase_completed, (&phase->record));
  }
  write_mark(phase);
}

static void take_arrivals(agpu__emu_phase *phase, uint32_t count,
                          const agpu__emu_actor *actor) {
  if (!count || count > phase->missing)
    FAIL(actor,
         "arrives %u times at the mbarrier initialised at %s, whose phase %llu "
         "lacks %u of %u arrivals%s",
         count, phase->location, (unsigned long long)phase->number,
         phase->missing, phase->expected,
         phase->missing ? "" : " and waits for the bytes of copies alone");
  phase->missing -= count;
}

static void expect_bytes(agpu__emu_phase *phase, uint32_t bytes,
                         const agpu__emu_actor *actor) {
  if (bytes > MOST_COUNT || phase->bytes + (int64_t)bytes > MOST_COUNT)
    FAIL(actor,
         "expects %u more bytes at the mbarrier initialised at %s, whose phase "
         "%llu lacks %d; it counts up to %u",
         bytes, phase->location, (unsigned long long)phase->number,
         phase->bytes, MOST_COUNT);
  phase->bytes += (int32_t)bytes;
}

void agpu__emu_phase_complete(agpu__emu_phase *phase, uint32_t arrivals,
                              uint32_t bytes, const agpu__emu_actor *actor) {
  if (bytes > MOST_COUNT ||
      (int64_t)phase->bytes - bytes < -(int64_t)MOST_COUNT)
    FAIL(actor,
         "copies %u bytes that the mbarrier initialised at %s counts, whose "
         "phase %llu has had %d more than it expects",
         bytes, phase->location, (unsigned long long)phase->number,
         -phase->bytes);
  phase->bytes -= (int32_t)bytes;
  if (arrivals)
    take_arrivals(phase, arrivals, actor);
  try_next(phase);
}

void agpu__emu_phase_add_arrival(agpu__emu_phase *phase,
                                 const agpu__emu_actor *actor) {
  if (phase->missing == MOST_COUNT)
    FAIL(actor,
         "lets the mbarrier initialised at %s wait for one more arrival than "
         "it counts",
         phase->location);
  ++phase->missing;
  write_mark(phase);
}

static void note_arrival(agpu__emu_phase *phase, uint32_t thread) {
  phase->arrived[thread / 32] |= UINT32_C(1) << thread % 32;
  AGPU__EMU_TELL(phase_arrived, (&phase->record, thread));
}

/// As agpu_native_phase, of an object that is there.
static void use(agpu__emu_phase *phase, agpu_native_phase_op what,
                uint32_t count, uint32_t thread, const agpu__emu_actor *actor) {
  switch (what) {
  case AGPU_NATIVE_PHASE_INIT:
  case AGPU_NATIVE_PHASE_INVALIDATE:
    phase->place = NULL;
    AGPU__EMU_TELL(phase_dropped, (&phase->record));
    return;
  case AGPU_NATIVE_PHASE_EXPECT: expect_bytes(phase, count, actor); break;
  case AGPU_NATIVE_PHASE_COMPLETE:
    agpu__emu_phase_complete(phase, 0, count, actor);
    return;
  case AGPU_NATIVE_PHASE_DROP:
  case AGPU_NATIVE_PHASE_DROP_EARLY:
  case AGPU_NATIVE_PHASE_DROP_EXPECT: {
    uint32_t left = what == AGPU_NATIVE_PHASE_DROP_EXPECT ? 1 : count;
    if (left > phase->expected)
      FAIL(actor,
           "takes %u of the %u arrivals away that the mbarrier "
           "initialised at %s expects",
           left, phase->expected, phase->location);
    phase->expected -= left;
    __attribute__((fallthrough));
  }
  case AGPU_NATIVE_PHASE_ARRIVE:
  case AGPU_NATIVE_PHASE_ARRIVE_EARLY:
  case AGPU_NATIVE_PHASE_ARRIVE_EXPECT: {
    bool expects = what == AGPU_NATIVE_PHASE_ARRIVE_EXPECT ||
                   what == AGPU_NATIVE_PHASE_DROP_EXPECT;
    if (expects)
      expect_bytes(phase, count, actor);
    note_arrival(phase, thread);
    take_arrivals(phase, expects ? 1 : count, actor);
    if ((what == AGPU_NATIVE_PHASE_ARRIVE_EARLY ||
         what == AGPU_NATIVE_PHASE_DROP_EARLY) &&
        !phase->missing && !phase->bytes)
      FAIL(actor,
           "arrives without completing a phase at the mbarrier "
           "initialised at %s, and would complete phase %llu",
           phase->location, (unsigned long long)phase->number);
    break;
  }
  }
  try_next(phase);
}

uint64_t agpu_native_phase(uint32_t what, void *barrier, uint32_t count,
                           const char *location, uint32_t x, uint32_t y,
                           uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  if (what == AGPU_NATIVE_PHASE_INIT) {
    initialise(runner, barrier, count, &actor);
    return 0;
  }
  agpu__emu_phase *phase = agpu__emu_phase_find(barrier, &actor);
  AGPU__EMU_TELL(phase_used, (barrier, what == AGPU_NATIVE_PHASE_INVALIDATE,
                              location, actor.thread));
  uint64_t number = phase->number;
  use(phase, (agpu_native_phase_op)what, count,
      agpu__emu_thread_number(runner, x, y, z), &actor);
  return number;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static agpu__emu_phase *awaited(const agpu_native_thread *thread) {
  agpu__emu_actor actor = {.location = thread->site->location};
  agpu__emu_thread_id(thread, actor.thread);
  return agpu__emu_phase_find((const void *)(uintptr_t)thread->value, &actor);
}

/// A parity is that of this phase, or of the one before it; the number of a
/// phase is of one of these, too.
bool agpu__emu_phase_is_over(const agpu_native_thread *thread) {
  uint32_t now = (uint32_t)awaited(thread)->number;
  return thread->b & AGPU_NATIVE_WAIT_PARITY ? (now & 1u) != (thread->a & 1u)
                                             : now != thread->a;
}

void agpu__emu_phase_answer(agpu_native_thread *thread, bool is_over) {
  if (is_over) {
    const agpu__emu_phase *phase = awaited(thread);
    uint32_t id[3];
    agpu__emu_thread_id(thread, id);
    AGPU__EMU_TELL(phase_used,
                   (phase->place, false, thread->site->location, id));
    AGPU__EMU_TELL(phase_observed,
                   (&phase->record,
                    (uint32_t)(thread - agpu__emu_runner_current()->threads)));
  }
  thread->value = is_over;
  thread->site = NULL;
}

_Noreturn void agpu__emu_phase_fail(const agpu__emu_runner *runner,
                                    const agpu_native_thread *thread) {
  const agpu__emu_phase *phase = awaited(thread);
  uint32_t id[3], other_id[3], ended = 0, other = runner->thread_count;
  agpu__emu_thread_id(thread, id);
  // The first that has not arrived and waits elsewhere.
  for (uint32_t i = 0; i < runner->thread_count; ++i) {
    ended += !runner->threads[i].frame;
    if (other == runner->thread_count && runner->threads[i].frame &&
        runner->threads[i].site != thread->site &&
        !(phase->arrived[i / 32] >> i % 32 & 1u))
      other = i;
  }
  char lacks[96], rest[192] = "";
  if (phase->bytes < 0)
    (void)snprintf(lacks, sizeof lacks, "has had %d bytes more than it expects",
                   -phase->bytes);
  else if (phase->missing && phase->bytes)
    (void)snprintf(lacks, sizeof lacks, "lacks %u of %u arrivals and %d bytes",
                   phase->missing, phase->expected, phase->bytes);
  else if (phase->bytes)
    (void)snprintf(lacks, sizeof lacks, "lacks %d bytes", phase->bytes);
  else
    (void)snprintf(lacks, sizeof lacks, "lacks %u of %u arrivals",
                   phase->missing, phase->expected);
  if (other < runner->thread_count) {
    const agpu_native_site *site = runner->threads[other].site;
    agpu__emu_thread_id(&runner->threads[other], other_id);
    (void)snprintf(rest, sizeof rest, "; thread %u,%u,%u waits at %s",
                   other_id[0], other_id[1], other_id[2], site->location);
  }
  if (ended && strlen(rest) + 48 < sizeof rest)
    (void)snprintf(rest + strlen(rest), sizeof rest - strlen(rest),
                   "; %u of %u threads have ended", ended,
                   runner->thread_count);
  agpu__emu_block_fail(
      CUDA_ERROR_LAUNCH_FAILED, thread->site->location,
      "thread %u,%u,%u waits in vain for a phase of parity %u of the mbarrier "
      "initialised at %s: it is in phase %llu, which %s%s",
      id[0], id[1], id[2], thread->a & 1u, phase->location,
      (unsigned long long)phase->number, lacks, rest);
}
