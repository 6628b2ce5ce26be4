//===- thread_order.h - What happens before what in a launch ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races: which access of a kernel's threads comes before
// which, whatever the schedule. As the PTX ISA's memory model has it:
//
// - a barrier of the block orders everything before it before everything
//   behind it, for all threads of the block; one for some of its threads, and
//   bar.warp.sync, for those that meet there;
// - shuffles, votes and the like wait for lanes, but order no memory;
// - an arrival at an mbarrier orders what its thread did before it before what
//   threads do that have waited for its phase; an asynchronous copy, likewise,
//   before what follows a wait for it;
// - blocks of one launch are not ordered;
// - atomic operations order what stands before one with what stands after a
//   later one of another thread. Here their addresses do not matter, and
//   between blocks not even which thread of a block makes them: what a program
//   may order so is never reported, and some that is not ordered is missed.
//
// One launch at a time, whose blocks run one after the other on one thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_ORDER_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/// When a thread did something.
typedef struct agpu__emu_moment {
  uint32_t block;   ///< the block's number in its grid
  uint32_t epoch;   ///< barriers of the block before it
  uint32_t step;    ///< since then, of those that the thread shared with some
  uint32_t atomics; ///< atomic operations of the launch before it
  uint16_t thread;  ///< the thread's number in its block
  uint16_t fences;  ///< of proxies in the block before it, or
                    ///< AGPU__EMU_MANY_FENCES
} agpu__emu_moment;

void agpu__emu_threads_begin_launch(uint64_t blocks);

/// Threads of a block or cluster whose order is followed. In larger clusters,
/// all accesses of shared and global memory by one cluster count as ordered.
#define AGPU__EMU_MOST_FOLLOWED 2048u

/// The next block of the launch, with so many threads; or the next cluster,
/// whose threads are numbered block by block.
void agpu__emu_threads_begin_block(uint32_t block, uint32_t threads);

/// All threads of the block that have not ended meet.
void agpu__emu_threads_barrier(void);

/// So many threads of the block, by their numbers, meet.
void agpu__emu_threads_meet(const uint16_t *threads, uint32_t count);

/// Who makes the asynchronous copies of the block, and its products of
/// matrices, as numbers of threads: a copy comes after what its thread did
/// before it began, and before what threads do after a wait for it. Of so many
/// copies at a time, none is taken for another.
#define AGPU__EMU_COPYING 8u
#define AGPU__EMU_MULTIPLYING 4u
#define AGPU__EMU_AGENTS (AGPU__EMU_COPYING + AGPU__EMU_MULTIPLYING)
#define AGPU__EMU_AGENT(copy)                                                  \
  ((uint16_t)(UINT16_MAX - (copy) % AGPU__EMU_COPYING))
#define AGPU__EMU_MULTIPLIER(product)                                          \
  ((uint16_t)(UINT16_MAX - AGPU__EMU_COPYING -                                 \
              (product) % AGPU__EMU_MULTIPLYING))

static inline bool agpu__emu_is_agent(uint16_t thread) {
  return thread > UINT16_MAX - AGPU__EMU_AGENTS;
}

static inline bool agpu__emu_is_multiplier(uint16_t thread) {
  return agpu__emu_is_agent(thread) && thread <= UINT16_MAX - AGPU__EMU_COPYING;
}

/// What some threads have left for others: all that comes before.
typedef struct agpu__emu_clock agpu__emu_clock;

/// A thread of the block (or the agent) leaves what comes before this in
/// `*clock`, besides what is there; made where it is NULL.
void agpu__emu_threads_leave(agpu__emu_clock **clock, uint16_t thread);

/// What is in `clock` (or NULL) is left in `*into`, too.
void agpu__emu_threads_pass(agpu__emu_clock **into,
                            const agpu__emu_clock *clock);

/// What is in `clock` (or NULL) comes before what the thread does now.
void agpu__emu_threads_take(const agpu__emu_clock *clock, uint16_t thread);

/// An agent makes a copy: what is in `clock` (or NULL) comes before, and
/// nothing else of the present epoch.
void agpu__emu_threads_act(const agpu__emu_clock *clock, uint16_t agent);
void agpu__emu_clock_free(agpu__emu_clock *clock);

/// A thread makes an atomic operation; on memory that other blocks see?
void agpu__emu_threads_atomic(uint16_t thread, bool global);

/// A thread executes a fence between what threads do and what copies and
/// products do. Of the first so many in a block it is known what they order.
#define AGPU__EMU_MANY_FENCES UINT16_MAX
void agpu__emu_threads_fence(uint16_t thread);

/// Whether such a fence stands between what was done at `moment` and now, by
/// the thread that did it or by `thread`.
bool agpu__emu_threads_is_fenced(const agpu__emu_moment *moment,
                                 uint16_t thread);

/// The present moment of a thread of the block.
agpu__emu_moment agpu__emu_threads_now(uint16_t thread);

/// Whether what was done at `moment` comes before what `thread` does now.
bool agpu__emu_threads_is_before(const agpu__emu_moment *moment,
                                 uint16_t thread);

/// Frees what launches have needed.
void agpu__emu_threads_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_THREAD_ORDER_H
