//===- counts.h - What kernels execute and access -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are compiled for it say what they execute and which memory they
// access (agpu_native_count, agpu_native_check). Some blocks of a launch are
// counted and stand for all: the first and the last ones, and some between.
// Which ones these are depends on the grid alone.
//
// Between two barriers, all threads of a block execute what they do there; a
// load that one of them waits for holds up all of them at the next barrier. So
// what a block takes alone is the sum over these phases.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_COUNTS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_COUNTS_H

#include "emu/model/model.h"
#include "emu/simt/block.h"

/// Threads of a warp, and the bytes that a card's memory moves at once.
#define AGPU__EMU_LANES 32
#define AGPU__EMU_SECTOR_BYTES 32

/// Instructions of a thread, by what executes them. agpu_native_count has eight
/// bits for each, in this order.
typedef enum agpu__emu_class {
  AGPU__EMU_FP32,
  AGPU__EMU_FP64,
  AGPU__EMU_INTEGER,
  AGPU__EMU_SPECIAL,
  AGPU__EMU_CLASSES
} agpu__emu_class;

/// Memory that a piece of work touches.
typedef struct agpu__emu_touched {
  uintptr_t from, to; ///< the first byte, and the one behind the last
  double bytes;       ///< of these, once each
  double traffic;     ///< what is read and what is written of them, together
  CUdevice device;    ///< whose memory it is; -1: the host's
} agpu__emu_touched;

enum { AGPU__EMU_TOUCHED = 32 }; // ranges of a kernel; others join the last

/// What threads execute, all together.
typedef struct agpu__emu_work {
  double executed[AGPU__EMU_CLASSES];
  double chain;         ///< of them, such that each need the one before
  double chained_loads; ///< of workgroup memory, between these
  double chained_reads; ///< of other memory, between these
  double products;      ///< of matrices, in those of f16
  double workgroup_accesses;
  double workgroup_words; ///< that its banks could give while busy with these
  double reads, writes;   ///< of other memory
} agpu__emu_work;

typedef struct agpu__emu_tally {
  bool has_counted; ///< the kernel has said anything
  double blocks;    ///< that were counted
  agpu__emu_work work;
  /// What so many blocks take where each has a multiprocessor for itself, in
  /// picoseconds: if all that they load is in the cache, if none is.
  double alone_blocks, alone_near, alone_far;
  double read_sectors, written_sectors; ///< of 32 bytes, that warps access
  size_t ranges;                        ///< in `touched`, in their order
  agpu__emu_touched touched[AGPU__EMU_TOUCHED];
} agpu__emu_tally;

/// What a launch has counted so far; NULL: launches are not counted.
typedef struct agpu__emu_launch_counts agpu__emu_launch_counts;
agpu__emu_launch_counts *agpu__emu_launch_counts_create(void);

/// Of a launch that is over: for all of its blocks. Frees it.
agpu__emu_tally agpu__emu_launch_counts_take(agpu__emu_launch_counts *of,
                                             const agpu__emu_launch *launch);

/// The runner begins a block on the modelled machine; it is over with the
/// launch. `few`: four blocks of a launch stand for all, instead of 19.
void agpu__emu_counts_begin_block(const agpu__emu_model *model,
                                  const agpu__emu_runner *runner, bool few);
void agpu__emu_counts_end(agpu__emu_runner *runner);

/// Whether the block is none of those that are counted.
bool agpu__emu_counts_is_other(const agpu__emu_runner *runner);

/// A thread of the runner's block accesses memory (agpu_native_check).
void agpu__emu_counts_access(agpu__emu_runner *runner, uintptr_t place,
                             uint64_t size, uint32_t flags, bool is_shared,
                             const char *location, uint32_t thread);

/// A warp or a warp group of the runner's block multiplies matrices.
void agpu__emu_counts_multiply(agpu__emu_runner *runner, uint32_t products,
                               uint32_t bits);

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_COUNTS_H
