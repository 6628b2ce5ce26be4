//===- threads.c - Threads of a block that wait for each other ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs every thread as far as it comes, warp after warp; when all that have not
// ended wait at a barrier of the block, opens it. Where nothing can go on, the
// kernel waits in vain, which is an error and not a hang.
//
//===----------------------------------------------------------------------===//

#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/simt/async.h"
#include "emu/simt/warp.h"

#include <stdlib.h>

#define WARP_SIZE 32u

/// What LLVM lays out at the start of a coroutine's frame (switched-resume
/// lowering).
typedef struct coroutine_frame {
  void (*resume)(void *frame);
  void (*destroy)(void *frame);
} coroutine_frame;

/// Where the threads of a block stand.
typedef struct standing {
  uint32_t live;                ///< threads that have not ended
  const agpu_native_site *site; ///< where the first of them waits
  bool same;                    ///< they all wait there
} standing;

/// Runs the threads of a warp until none can go on by itself.
static void run_warp(agpu_native_thread *warp, uint32_t lanes,
                     standing *block) {
  uint32_t live, waiting;
  do {
    live = waiting = 0;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      agpu_native_thread *thread = &warp[lane];
      if (!thread->frame)
        continue;
      if (!thread->site) {
        ((coroutine_frame *)thread->frame)->resume(thread->frame);
        if (!thread->frame)
          continue;
      }
      live |= 1u << lane;
      if (thread->site->wait >= AGPU_NATIVE_WARP_BARRIER)
        waiting |= 1u << lane;
    }
  } while (waiting && agpu__emu_warp_release(warp, live, waiting));
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if (!(live >> lane & 1u))
      continue;
    if (!block->live++)
      block->site = warp[lane].site;
    block->same &= warp[lane].site == block->site;
  }
}

/// True if all threads that have not ended wait at one barrier of the block.
static bool are_at_barrier(const standing *block) {
  return block->live && block->same && block->site->wait == AGPU_NATIVE_BARRIER;
}

/// Opens the barrier that all threads wait at: runs each to where it waits
/// next. The common case, in one pass.
static standing open_common_barrier(agpu_native_thread *threads,
                                    uint32_t count) {
  standing block = {.same = true};
  AGPU__EMU_TELL(barrier, ());
  for (uint32_t i = 0; i < count; ++i) {
    agpu_native_thread *thread = &threads[i];
    if (!thread->frame)
      continue;
    ((coroutine_frame *)thread->frame)->resume(thread->frame);
    if (!thread->frame)
      continue;
    if (!block.live++)
      block.site = thread->site;
    block.same &= thread->site == block.site;
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Barriers with a number
//===----------------------------------------------------------------------===//

static bool waits_at_barrier(const agpu_native_thread *thread,
                             uint32_t number) {
  return thread->frame && thread->site &&
         thread->site->wait == AGPU_NATIVE_NUMBERED_BARRIER &&
         thread->a == number;
}

/// Threads of a warp that meet at one barrier have to do so at one instruction:
/// bar.sync is of the aligned kind. Fails the block where they do not.
static void check_aligned(const agpu_native_thread *threads, uint32_t count,
                          uint32_t number) {
  for (uint32_t i = 0, first = count; i < count; ++i) {
    if (i % WARP_SIZE == 0)
      first = count;
    if (!waits_at_barrier(&threads[i], number))
      continue;
    if (first == count)
      first = i;
    if (threads[i].site == threads[first].site)
      continue;
    uint32_t one[3], other[3];
    agpu__emu_thread_id(&threads[first], one);
    agpu__emu_thread_id(&threads[i], other);
    agpu__emu_block_fail(
        CUDA_ERROR_LAUNCH_FAILED, threads[first].site->location,
        "thread %u,%u,%u is at barrier %u, and thread %u,%u,%u of its warp at "
        "another place, %s: all threads of a warp have to reach a barrier "
        "together",
        one[0], one[1], one[2], number, other[0], other[1], other[2],
        threads[i].site->location);
  }
}

/// Gives the threads at barrier `number` the result of its reduction, and lets
/// them go on. Threads that have arrived without waiting (`arrivals`, or NULL)
/// count as met there: what they have done since is then ordered too, so that
/// no race is seen in it.
static void open_barrier(agpu_native_thread *threads, uint32_t count,
                         uint32_t number, uint32_t live,
                         const agpu__emu_arrivals *arrivals) {
  uint32_t arrived = 0, set = 0, met = 0;
  uint16_t present[AGPU__EMU_MAX_THREADS_PER_BLOCK];
  for (uint32_t i = 0; i < count; ++i) {
    bool waits = waits_at_barrier(&threads[i], number);
    if (waits || (arrivals && arrivals->arrived[i / WARP_SIZE]))
      present[met++] = (uint16_t)i;
    if (!waits)
      continue;
    ++arrived;
    set += threads[i].value != 0;
  }
  if (arrived == live)
    AGPU__EMU_TELL(barrier, ());
  else
    AGPU__EMU_TELL(meet, (present, met));
  for (uint32_t i = 0; i < count; ++i) {
    agpu_native_thread *thread = &threads[i];
    if (!waits_at_barrier(thread, number))
      continue;
    switch ((agpu_native_barrier_mode)thread->site->mode) {
    case AGPU_NATIVE_BARRIER_PLAIN: break;
    case AGPU_NATIVE_BARRIER_COUNT: thread->value = set; break;
    case AGPU_NATIVE_BARRIER_AND: thread->value = set == arrived; break;
    case AGPU_NATIVE_BARRIER_OR: thread->value = set != 0; break;
    }
    thread->site = NULL;
  }
}

/// Opens the barrier if enough threads wait at it or have arrived without
/// waiting (`arrivals`, or NULL). As on hardware, a barrier that counts its
/// threads counts whole warps.
static bool try_barrier(agpu_native_thread *threads, uint32_t count,
                        uint32_t number, uint32_t live,
                        agpu__emu_arrivals *arrivals) {
  uint32_t arrived = 0, in_warps = 0;
  uint32_t wanted = arrivals ? arrivals->wanted : 0;
  for (uint32_t first = 0; first < count; first += WARP_SIZE) {
    uint32_t here = 0, elsewhere = 0;
    uint32_t lanes = count - first < WARP_SIZE ? count - first : WARP_SIZE;
    if (arrivals)
      in_warps += arrivals->arrived[first / WARP_SIZE] / lanes * WARP_SIZE;
    for (uint32_t i = first; i < count && i < first + WARP_SIZE; ++i) {
      if (waits_at_barrier(&threads[i], number)) {
        wanted = threads[i].b;
        ++here;
      } else if (threads[i].frame) {
        ++elsewhere;
      }
    }
    arrived += here;
    in_warps += here && !elsewhere ? WARP_SIZE : 0;
  }
  if (!arrived || (wanted ? in_warps < wanted : arrived < live))
    return false;
  check_aligned(threads, count, number);
  open_barrier(threads, count, number, live, arrivals);
  if (arrivals)
    *arrivals = (agpu__emu_arrivals){0};
  return true;
}

static bool try_barriers(const agpu__emu_runner *runner, uint32_t live) {
  bool opened = false;
  for (uint32_t number = 0; number < AGPU__EMU_BARRIERS; ++number)
    opened |= try_barrier(runner->threads, runner->thread_count, number, live,
                          runner->arrivals ? &runner->arrivals[number] : NULL);
  return opened;
}

void agpu_native_arrive(uint32_t number, uint32_t threads, uint32_t x,
                        uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  if (!runner->arrivals)
    runner->arrivals = calloc(AGPU__EMU_BARRIERS, sizeof *runner->arrivals);
  if (!runner->arrivals)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its barriers");
  const uint32_t *size = runner->block.block_dim;
  uint32_t thread = (z * size[1] + y) * size[0] + x;
  agpu__emu_arrivals *barrier = &runner->arrivals[number % AGPU__EMU_BARRIERS];
  barrier->wanted = threads;
  ++barrier->arrived[thread / WARP_SIZE];
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

uint32_t agpu__emu_threads_run(agpu__emu_runner *runner) {
  agpu_native_thread *threads = runner->threads;
  uint32_t count = runner->thread_count;
  for (;;) {
    standing block = {.same = true};
    for (uint32_t first = 0; first < count; first += WARP_SIZE)
      run_warp(&threads[first],
               count - first < WARP_SIZE ? count - first : WARP_SIZE, &block);
    // Behind a barrier, warps may go on by themselves.
    bool opened = false;
    while (are_at_barrier(&block)) {
      block = open_common_barrier(threads, count);
      opened = true;
    }
    if (!block.live || (!opened && !try_barriers(runner, block.live)))
      return block.live;
  }
}

void agpu_native_run_block(const agpu_native_block *info) {
  (void)info;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  runner->has_started = true;
  if (runner->cluster)
    return; // all its blocks start first
  while (agpu__emu_threads_run(runner))
    if (!agpu__emu_async_go_on(runner))
      agpu__emu_fail_waiting(runner);
}
