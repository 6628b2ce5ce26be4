//===- thread_order.c - What happens before what in a launch --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers of the whole block are counted; only for those of some threads are
// there vector clocks, which the next barrier of the block makes needless.
//
//===----------------------------------------------------------------------===//

#include "emu/check/thread_order.h"

#include "base/memory/memory.h"

#include <string.h>

struct agpu__emu_clock {
  uint32_t epoch;  ///< that it speaks of; what came before is before all
  uint32_t length; ///< of a row, when it was made
  uint32_t steps[];
};

/// Blocks whose atomic operations are kept apart. With more, some share an
/// entry, which orders more than there is.
#define MOST_BLOCKS ((uint64_t)1 << 20)

static const char purpose[] = "the check for races";

static struct {
  uint32_t block, epoch, threads;
  bool is_followed;       ///< else `threads` is 0, and no order is known
  uint32_t atomics;       ///< of the launch so far
  uint32_t capacity;      ///< entries of the following three
  uint16_t fences;        ///< of the block so far
  uint16_t *last_fence;   ///< of each thread: its number; 0: none
  uint32_t *last_atomic;  ///< of each thread: its number; 0: none
  uint32_t *last_atomics; ///< of each block; NULL: none yet
  uint64_t blocks;        ///< entries of `last_atomics`
  // Vector clocks, for barriers that not all threads share. Since the block's
  // last barrier:
  bool partial;        ///< there were any
  uint32_t *step;      ///< of each thread
  uint32_t known_rows; ///< for which there is room
  uint32_t *known;     ///< [thread][other]: other's steps before it
} now;

void agpu__emu_threads_begin_launch(uint64_t blocks) {
  agpu__memory_free(now.last_atomics);
  now.last_atomics = NULL;
  now.blocks = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
  now.atomics = 0;
}

/// The threads of the block come first, the agents after them.
static uint32_t row_length(void) { return now.threads + AGPU__EMU_AGENTS; }

static uint32_t *allocate(uint64_t count) {
  return agpu__memory_alloc((int64_t)(count * sizeof(uint32_t)),
                            _Alignof(uint32_t), purpose);
}

void agpu__emu_threads_begin_block(uint32_t block, uint32_t threads) {
  now.block = block;
  now.is_followed = threads <= AGPU__EMU_MOST_FOLLOWED;
  now.threads = now.is_followed ? threads : 0;
  now.epoch = 0;
  if (now.capacity < row_length()) {
    agpu__memory_free(now.last_atomic);
    agpu__memory_free(now.step);
    agpu__memory_free(now.last_fence);
    now.capacity = row_length();
    now.last_atomic = allocate(now.capacity);
    now.step = allocate(now.capacity);
    now.last_fence =
        agpu__memory_alloc((int64_t)(now.capacity * sizeof(uint16_t)),
                           _Alignof(uint16_t), purpose);
  }
  memset(now.last_atomic, 0, row_length() * sizeof *now.last_atomic);
  memset(now.step, 0, row_length() * sizeof *now.step);
  memset(now.last_fence, 0, row_length() * sizeof *now.last_fence);
  now.fences = 0;
  now.partial = false;
}

void agpu__emu_threads_barrier(void) {
  ++now.epoch;
  if (now.partial)
    memset(now.step, 0, row_length() * sizeof *now.step);
  now.partial = false;
}

static uint32_t place_of(uint16_t thread) {
  if (agpu__emu_is_agent(thread))
    return now.threads + (UINT16_MAX - thread);
  return now.is_followed ? thread : 0;
}

static uint32_t *row(uint16_t thread) {
  return now.known + (size_t)place_of(thread) * row_length();
}

/// From here to the next barrier of the block, threads know of each other by
/// their rows.
static void begin_rows(void) {
  if (now.known_rows < row_length()) {
    agpu__memory_free(now.known);
    now.known_rows = row_length();
    now.known = allocate((uint64_t)now.known_rows * now.known_rows);
  }
  if (!now.partial)
    memset(now.known, 0,
           (size_t)row_length() * row_length() * sizeof *now.known);
  now.partial = true;
}

/// Adds to `steps` what is in `others`.
static void join(uint32_t *steps, const uint32_t *others) {
  for (uint32_t i = 0; i < row_length(); ++i)
    if (others[i] > steps[i])
      steps[i] = others[i];
}

void agpu__emu_threads_meet(const uint16_t *threads, uint32_t count) {
  begin_rows();
  uint32_t all[AGPU__EMU_MOST_FOLLOWED + AGPU__EMU_AGENTS] = {0};
  for (uint32_t i = 0; i < count; ++i)
    join(all, row(threads[i]));
  for (uint32_t i = 0; i < count; ++i)
    all[place_of(threads[i])] = ++now.step[place_of(threads[i])];
  for (uint32_t i = 0; i < count; ++i)
    memcpy(row(threads[i]), all, row_length() * sizeof *all);
}

/// `*clock`, which speaks of the present epoch.
static agpu__emu_clock *open(agpu__emu_clock **clock) {
  size_t bytes = row_length() * sizeof(uint32_t);
  if (*clock && (*clock)->length != row_length()) {
    agpu__memory_free(*clock);
    *clock = NULL;
  }
  if (!*clock)
    *clock = agpu__memory_alloc((int64_t)(sizeof **clock + bytes),
                                _Alignof(agpu__emu_clock), purpose);
  else if ((*clock)->epoch == now.epoch)
    return *clock;
  memset((*clock)->steps, 0, bytes);
  (*clock)->length = row_length();
  (*clock)->epoch = now.epoch;
  return *clock;
}

void agpu__emu_threads_leave(agpu__emu_clock **clock, uint16_t thread) {
  begin_rows();
  uint32_t *own = row(thread);
  join(open(clock)->steps, own);
  uint32_t place = place_of(thread);
  own[place] = ++now.step[place];
  (*clock)->steps[place] = now.step[place];
}

void agpu__emu_threads_pass(agpu__emu_clock **into,
                            const agpu__emu_clock *clock) {
  if (clock && clock->epoch == now.epoch)
    join(open(into)->steps, clock->steps);
}

void agpu__emu_threads_take(const agpu__emu_clock *clock, uint16_t thread) {
  if (!clock || clock->epoch != now.epoch)
    return;
  begin_rows();
  join(row(thread), clock->steps);
}

void agpu__emu_threads_act(const agpu__emu_clock *clock, uint16_t agent) {
  begin_rows();
  memset(row(agent), 0, row_length() * sizeof(uint32_t));
  agpu__emu_threads_take(clock, agent);
}

void agpu__emu_clock_free(agpu__emu_clock *clock) { agpu__memory_free(clock); }

void agpu__emu_threads_atomic(uint16_t thread, bool global) {
  now.last_atomic[place_of(thread)] = ++now.atomics;
  if (!global)
    return;
  if (!now.last_atomics) {
    size_t bytes = (size_t)now.blocks * sizeof *now.last_atomics;
    now.last_atomics =
        agpu__memory_alloc((int64_t)bytes, _Alignof(uint32_t), purpose);
    memset(now.last_atomics, 0, bytes);
  }
  now.last_atomics[now.block % now.blocks] = now.atomics;
}

void agpu__emu_threads_fence(uint16_t thread) {
  if (now.fences < AGPU__EMU_MANY_FENCES)
    now.last_fence[place_of(thread)] = ++now.fences;
}

bool agpu__emu_threads_is_fenced(const agpu__emu_moment *moment,
                                 uint16_t thread) {
  return moment->block != now.block || !now.is_followed ||
         now.fences == AGPU__EMU_MANY_FENCES ||
         now.last_fence[place_of(moment->thread)] > moment->fences ||
         now.last_fence[place_of(thread)] > moment->fences;
}

agpu__emu_moment agpu__emu_threads_now(uint16_t thread) {
  return (agpu__emu_moment){.block = now.block,
                            .epoch = now.epoch,
                            .step = now.step[place_of(thread)],
                            .atomics = now.atomics,
                            .thread = thread,
                            .fences = now.fences};
}

/// Whether one thread's (or block's) last atomic operation comes after the
/// moment, and the other's after at least one of those.
static bool are_ordered(const agpu__emu_moment *moment, uint32_t one,
                        uint32_t other) {
  return one > moment->atomics && other > moment->atomics + 1;
}

bool agpu__emu_threads_is_before(const agpu__emu_moment *moment,
                                 uint16_t thread) {
  if (moment->block != now.block)
    return now.last_atomics &&
           are_ordered(moment, now.last_atomics[moment->block % now.blocks],
                       now.last_atomics[now.block % now.blocks]);
  if (moment->thread == thread || moment->epoch != now.epoch ||
      !now.is_followed)
    return true;
  if (now.partial && row(thread)[place_of(moment->thread)] > moment->step)
    return true;
  return are_ordered(moment, now.last_atomic[place_of(moment->thread)],
                     now.last_atomic[place_of(thread)]);
}

void agpu__emu_threads_reset(void) {
  agpu__memory_free(now.last_atomics);
  agpu__memory_free(now.known);
  agpu__memory_free(now.last_atomic);
  agpu__memory_free(now.step);
  agpu__memory_free(now.last_fence);
  now.last_atomics = now.known = now.last_atomic = now.step = NULL;
  now.last_fence = NULL;
  now.capacity = now.known_rows = 0;
}
