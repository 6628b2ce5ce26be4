//===- phase.h - mbarrier objects ------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier object counts the arrivals, and the bytes of asynchronous copies,
// that a phase expects; when there are no more to come the next phase begins.
// Its 64 bits in shared memory are opaque: what it counts is kept elsewhere,
// and the bits are a mark by which one is seen that something has overwritten.
//
// For the thread that runs the block, and the blocks of its cluster.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_PHASE_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_PHASE_H

#include "async_gpu/compiled/native_async.h"
#include "emu/base/hooks.h"
#include "emu/simt/block.h"

/// Threads of a block, as bits.
#define AGPU__EMU_THREAD_WORDS (AGPU__EMU_WARPS)

typedef struct agpu__emu_phase {
  uint64_t *place;            ///< in the block's shared memory; NULL: none here
  uint32_t expected, missing; ///< arrivals: of each phase, of this one
  int32_t bytes;              ///< that this phase lacks
  uint64_t number;            ///< of this phase
  const char *location;       ///< of its initialisation
  /// Threads of the block that have arrived in this phase.
  uint32_t arrived[AGPU__EMU_THREAD_WORDS];
  agpu__emu_phase_record record; ///< the checks'
} agpu__emu_phase;

/// Where a thread does something to one, for messages.
typedef struct agpu__emu_actor {
  const char *location;
  uint32_t thread[3];
} agpu__emu_actor;

/// The object at `place`. Fails the block where there is none.
agpu__emu_phase *agpu__emu_phase_find(const void *place,
                                      const agpu__emu_actor *actor);

/// So many of its arrivals and bytes have come.
void agpu__emu_phase_complete(agpu__emu_phase *phase, uint32_t arrivals,
                              uint32_t bytes, const agpu__emu_actor *actor);

/// Whether the phase that the thread's record names is complete: the thread
/// waits there (AGPU_NATIVE_PHASE_WAIT).
bool agpu__emu_phase_is_over(const agpu_native_thread *thread);

/// The thread goes on with the result of its wait.
void agpu__emu_phase_answer(agpu_native_thread *thread, bool is_over);

/// A thread of the runner's block waits in vain for a phase: fails the block,
/// and names what has not come.
_Noreturn void agpu__emu_phase_fail(const agpu__emu_runner *runner,
                                    const agpu_native_thread *thread);

/// The phase expects one arrival more.
void agpu__emu_phase_add_arrival(agpu__emu_phase *phase,
                                 const agpu__emu_actor *actor);

/// Ends the block: "thread X,Y,Z " and the text.
_Noreturn void agpu__emu_actor_fail(const agpu__emu_actor *actor,
                                    CUresult error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// What is asynchronous to the runner's block (async.h); made when first asked
/// for.
struct agpu__emu_async *agpu__emu_async_get(agpu__emu_runner *runner);

/// Memory for one more than `count` elements of `size` bytes, where `data` has
/// moved to. Ends the block where there is none.
void *agpu__emu_grow(void *data, size_t count, size_t *capacity, size_t size);

/// The number of a thread of the block.
static inline uint32_t agpu__emu_thread_number(const agpu__emu_runner *runner,
                                               uint32_t x, uint32_t y,
                                               uint32_t z) {
  const uint32_t *size = runner->block.block_dim;
  return x + size[0] * (y + size[1] * z);
}

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_PHASE_H
