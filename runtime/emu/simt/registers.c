//===- registers.c - What a kernel asks the device about its block --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers of PTX that a kernel does not know from its own ids and
// sizes: clusters, the clock of the world, the launch's number, bytes of shared
// memory.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/block.h"

#include <time.h>

static uint64_t nanoseconds(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// x fastest, as CUDA numbers the blocks of a cluster.
static uint32_t rank_in_cluster(const uint32_t *block, const uint32_t *size) {
  uint32_t z = block[2] % size[2], y = block[1] % size[1];
  return (z * size[1] + y) * size[0] + block[0] % size[0];
}

uint64_t agpu_native_register(uint32_t name) {
  const agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu_native_block *block = &runner->block;
  const uint32_t *size = runner->launch->cluster_dim;
  uint32_t d =
      name >= AGPU_NATIVE_CLUSTERID ? (name - AGPU_NATIVE_CLUSTERID) % 3 : 0;
  if (name >= AGPU_NATIVE_CLUSTER_NCTARANK)
    return (uint64_t)size[0] * size[1] * size[2];
  if (name >= AGPU_NATIVE_CLUSTER_CTARANK)
    return rank_in_cluster(block->block_id, size);
  if (name >= AGPU_NATIVE_CLUSTER_NCTAID)
    return size[d];
  if (name >= AGPU_NATIVE_CLUSTER_CTAID)
    return block->block_id[d] % size[d];
  if (name >= AGPU_NATIVE_NCLUSTERID)
    return block->grid_dim[d] / size[d];
  if (name >= AGPU_NATIVE_CLUSTERID)
    return block->block_id[d] / size[d];
  switch (name) {
  case AGPU_NATIVE_GLOBALTIMER: return nanoseconds();
  case AGPU_NATIVE_GRIDID: return runner->launch->number;
  case AGPU_NATIVE_TOTAL_SMEM_SIZE: return block->shared_bytes;
  default: return block->shared_bytes - runner->launch->kernel->shared_bytes;
  }
}
