//===- bulk.h - Copies in bulk -----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of cp.async.bulk and cp.async.bulk.tensor that are under way. Those to
// shared memory end one by one, when no thread can go on (progress.c), and an
// mbarrier counts their bytes; those from there, when their thread waits for
// their group, or its block ends.
//
// For the thread that runs the block, and the blocks of its cluster.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_BULK_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_BULK_H

#include "emu/simt/async.h"
#include "emu/simt/tensor_map.h"

typedef struct agpu__emu_bulk {
  agpu_native_bulk what;
  agpu_native_bulk_reduction reduction;
  bool is_tensor;
  /// Of shared memory, of the block that has begun it; where it goes, and where
  /// it comes from. The other one is global memory, or a peer's.
  char *to;
  const char *from;
  uint32_t bytes;
  agpu__emu_tensor_map map;
  int32_t at[AGPU__EMU_TENSOR_RANK];
  uint16_t offsets[AGPU__EMU_PIXEL_RANK]; ///< of pixels
  void *barrier;
  uint32_t mask; ///< blocks of the cluster, as bits; or AGPU_NATIVE_ONE_BLOCK
  uint32_t group, thread;
  uint32_t flights[16]; ///< the check's; 0: none
  char *kept;           ///< what has been read; NULL: nothing so far
  const char *location;
} agpu__emu_bulk;

/// Ends one of the copies that an mbarrier counts. False: there is none.
bool agpu__emu_bulk_end_one(agpu__emu_runner *runner);

/// Ends all but the last `pending` closed groups of the thread, or reads their
/// sources.
void agpu__emu_bulk_wait(agpu__emu_runner *runner, uint32_t thread,
                         uint32_t pending, bool reads_only);

/// Closes the thread's open group.
void agpu__emu_bulk_commit(agpu__emu_runner *runner, uint32_t thread);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_BULK_H
