//===- block.h - One thread's way through the blocks of a launch -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A runner is what a host thread needs to run blocks of one launch, one after
// the other: shared memory, and for kernels whose threads wait for each other
// the records and frames of a block's threads. All are allocated once and used
// for every block.
//
// A kernel that fails leaves its block by a long jump: no code of a kernel
// holds anything that would have to be given back.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_BLOCK_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_BLOCK_H

#include "async_gpu/compiled/native_thread.h"
#include "emu/memory/memory.h"
#include "emu/simt/launch.h"
#include "emu/simt/output.h"

#include <setjmp.h>
#include <stdatomic.h>

/// Numbered barriers of a block, and warps of the largest block.
#define AGPU__EMU_BARRIERS 16u
#define AGPU__EMU_WARPS 32u

typedef struct agpu__emu_arrivals {
  uint32_t wanted; ///< threads that the barrier takes; 0: nobody has arrived
  uint32_t arrived[AGPU__EMU_WARPS];
} agpu__emu_arrivals;

typedef struct agpu__emu_runner {
  const agpu__emu_launch *launch;
  agpu_native_block block;
  agpu_native_thread *threads; ///< of the block; NULL: not needed so far
  uint32_t thread_count;
  char *frames; ///< one for each thread; NULL: not needed so far
  /// Of each warp, threads that have arrived at each numbered barrier without
  /// waiting; NULL: no block has had such.
  agpu__emu_arrivals *arrivals;
  /// Asynchronous work (async.h); NULL: no block has had any.
  struct agpu__emu_async *async;
  size_t frame_bytes;
  agpu__emu_range ranges[4]; ///< that its threads have used last
  /// What loops over threads keep between barriers, in the order in which the
  /// kernel asks for it; how many a block has asked for so far.
  void **pieces;
  size_t piece_count, piece;
  agpu__emu_output output;
  agpu__emu_random random; ///< for what a seed draws in its blocks
  /// The first assertion that failed in the block; no message: none has.
  struct {
    const char *message, *location;
    uint32_t thread[3];
  } assertion;
  /// The runners of the blocks of a cluster, this one among them, in the order
  /// of their ranks; NULL: the block is one of its own.
  struct agpu__emu_runner *cluster;
  uint32_t cluster_size;
  void *counted;    ///< emu/model's, or NULL
  bool has_started; ///< of a cluster: its threads wait for each other
  bool has_ended;   ///< of a cluster, which goes on: they all have
  jmp_buf leave;    ///< out of the block, after a failure
} agpu__emu_runner;

/// Prepares `runner` for blocks of the launch. False: out of memory.
bool agpu__emu_runner_create(agpu__emu_runner *runner,
                             const agpu__emu_launch *launch);

/// The order of a launch's blocks: the i-th to run is number
/// (start + i * stride) modulo total, x fastest.
typedef struct agpu__emu_block_order {
  uint64_t total, start, stride;
} agpu__emu_block_order;

/// Runs the `first`-th to before the `end`-th block on the calling thread, but
/// no further one once `stop` is set. False: one failed, was the last to run,
/// and the error of the context is set.
bool agpu__emu_runner_run(agpu__emu_runner *runner,
                          const agpu__emu_block_order *order, uint64_t first,
                          uint64_t end, const atomic_bool *stop);

/// Whether `address` is in what the runner keeps for the threads of its block:
/// their frames, and what loops over them keep.
bool agpu__emu_runner_keeps(const agpu__emu_runner *runner, uintptr_t address);

/// The runner's block has ended, one way or the other.
void agpu__emu_runner_leave_block(agpu__emu_runner *runner);

/// Frees what the runner allocated.
void agpu__emu_runner_destroy(agpu__emu_runner *runner);

/// The runner of the block that the calling thread runs.
agpu__emu_runner *agpu__emu_runner_current(void);

/// The first thread of the runner's block, where those of its cluster are
/// numbered block by block.
static inline uint32_t agpu__emu_first_thread(const agpu__emu_runner *runner) {
  return runner->cluster
             ? (uint32_t)(runner - runner->cluster) * runner->thread_count
             : 0;
}

/// Ends the block that the calling thread runs: sets the context's error, with
/// a note that says "LOCATION: kernel 'NAME', block X,Y,Z: ..." (without the
/// location where that is empty or NULL).
_Noreturn void agpu__emu_block_fail(CUresult error, const char *location,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The id of the runner's thread of that number.
void agpu__emu_number_id(const agpu__emu_runner *runner, uint32_t number,
                         uint32_t *out_id);

/// The id of a thread of the block that the calling thread runs.
void agpu__emu_thread_id(const agpu_native_thread *thread, uint32_t *out_id);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_BLOCK_H
