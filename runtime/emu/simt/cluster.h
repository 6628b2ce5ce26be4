//===- cluster.h - Blocks of a cluster -------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a cluster run at the same time, on one host thread: each starts
// its threads, and then all of them go on in turns, a block as far as it comes.
// Each has a runner, and with it shared memory of its own, which the others
// reach.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_H

#include "emu/simt/block.h"

/// Blocks of a cluster of the launch.
static inline uint32_t
agpu__emu_cluster_volume(const agpu__emu_launch *launch) {
  return launch->cluster_dim[0] * launch->cluster_dim[1] *
         launch->cluster_dim[2];
}

/// A runner for each block of a cluster of the launch, an array that is the
/// caller's. NULL: out of memory.
agpu__emu_runner *agpu__emu_cluster_create(const agpu__emu_launch *launch);

/// As agpu__emu_runner_run, of clusters.
bool agpu__emu_cluster_run(agpu__emu_runner *blocks,
                           const agpu__emu_block_order *order, uint64_t first,
                           uint64_t end, const atomic_bool *stop);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_H
