//===- cluster_barrier.h - The barrier of a cluster ------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads arrive at it and wait for it by two instructions
// (barrier.cluster.arrive, barrier.cluster.wait). It opens when all threads of
// the cluster that have not ended have arrived.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_BARRIER_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_BARRIER_H

#include "emu/simt/async.h"

/// Where a thread stands.
typedef enum agpu__emu_cluster_state {
  AGPU__EMU_CLUSTER_AWAY,
  AGPU__EMU_CLUSTER_ARRIVED,
  AGPU__EMU_CLUSTER_OPENED, ///< since it has arrived; it has not waited so far
} agpu__emu_cluster_state;

/// Lets threads of the runner's cluster go on for which the barrier has opened.
/// False: there is none.
bool agpu__emu_cluster_barrier_release(agpu__emu_runner *runner);

/// Fails the block where one of its threads waits at the barrier in vain.
void agpu__emu_cluster_barrier_fail(agpu__emu_runner *runner);

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_CLUSTER_BARRIER_H
