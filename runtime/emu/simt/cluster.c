//===- cluster.c - Blocks of a cluster ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round lets each block run until none of its threads can go on. Then waits
// that are over end; if there are none, one asynchronous copy of some block
// does; else threads that only ask get the answer that they have to wait. A
// kernel whose threads do not wait for each other runs block by block.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/cluster.h"

#include "base/os/self.h"
#include "base/report/assert.h"
#include "emu/base/hooks.h"
#include "emu/base/settings.h"
#include "emu/simt/async.h"
#include "emu/simt/warp.h"

#include <stdlib.h>

agpu__emu_runner *agpu__emu_cluster_create(const agpu__emu_launch *launch) {
  uint32_t size = agpu__emu_cluster_volume(launch);
  agpu__emu_runner *blocks = calloc(size, sizeof *blocks);
  for (uint32_t i = 0; blocks && i < size; ++i) {
    if (!agpu__emu_runner_create(&blocks[i], launch)) {
      while (i--)
        agpu__emu_runner_destroy(&blocks[i]);
      free(blocks);
      return NULL;
    }
    blocks[i].cluster = blocks;
    blocks[i].cluster_size = size;
  }
  return blocks;
}

static void split(uint64_t number, const uint32_t *sizes, uint32_t *out) {
  out[0] = (uint32_t)(number % sizes[0]);
  number /= sizes[0];
  out[1] = (uint32_t)(number % sizes[1]);
  out[2] = (uint32_t)(number / sizes[1]);
}

/// Gives the blocks their ids: those of cluster `number`, x fastest, and within
/// it of each rank.
static void place(agpu__emu_runner *blocks, uint64_t number) {
  const agpu__emu_launch *launch = blocks->launch;
  uint32_t clusters[3], cluster[3], inner[3];
  for (int d = 0; d < 3; ++d)
    clusters[d] = launch->block.grid_dim[d] / launch->cluster_dim[d];
  split(number, clusters, cluster);
  for (uint32_t rank = 0; rank < blocks->cluster_size; ++rank) {
    split(rank, launch->cluster_dim, inner);
    for (int d = 0; d < 3; ++d)
      blocks[rank].block.block_id[d] =
          cluster[d] * launch->cluster_dim[d] + inner[d];
  }
}

/// Calls `what` for the blocks whose threads wait, from some rank on. True if
/// it is for one; with `once`, then no further one is asked.
static bool ask(agpu__emu_runner *blocks, uint32_t from, bool once,
                bool (*what)(agpu__emu_runner *runner)) {
  bool any = false;
  for (uint32_t i = 0; i < blocks->cluster_size && !(any && once); ++i) {
    agpu__emu_runner *block = &blocks[(from + i) % blocks->cluster_size];
    if (!block->has_started)
      continue;
    agpu__self.emu.runner = block;
    any |= what(block);
  }
  return any;
}

/// Runs the threads of all blocks, which have started, to their ends. The
/// blocks go on from the last to the first, so that those that others still
/// reach have often ended by then.
static void run_threads(agpu__emu_runner *blocks) {
  bool seeded = agpu__emu_get_settings()->seeded;
  for (;;) {
    uint32_t first = blocks->cluster_size;
    for (uint32_t i = blocks->cluster_size; i-- > 0;) {
      agpu__emu_runner *block = &blocks[i];
      if (!block->has_started)
        continue;
      agpu__self.emu.runner = block;
      block->has_started = agpu__emu_threads_run(block) != 0;
      block->has_ended = !block->has_started;
      if (block->has_started)
        first = i;
    }
    if (first == blocks->cluster_size)
      return;
    uint32_t from = seeded ? (uint32_t)(agpu__emu_random_next(&blocks->random) %
                                        blocks->cluster_size)
                           : 0;
    if (ask(blocks, 0, false, agpu__emu_async_release) ||
        ask(blocks, from, true, agpu__emu_async_end_one) ||
        ask(blocks, 0, false, agpu__emu_async_answer))
      continue;
    agpu__self.emu.runner = &blocks[first];
    agpu__emu_fail_waiting(&blocks[first]);
  }
}

static void run_cluster(agpu__emu_runner *blocks) {
  const agpu__emu_launch *launch = blocks->launch;
  for (uint32_t i = 0; i < blocks->cluster_size; ++i) {
    agpu__self.emu.runner = &blocks[i];
    AGPU__EMU_TELL(block_begins, (&blocks[i]));
    launch->kernel->run(launch->params, &blocks[i].block);
    blocks[i].has_ended = !blocks[i].has_started;
  }
  run_threads(blocks);
  for (uint32_t i = 0; i < blocks->cluster_size; ++i) {
    agpu__self.emu.runner = &blocks[i];
    agpu_native_check_assertions();
    if (blocks[i].async && blocks[i].async->finish)
      blocks[i].async->finish(&blocks[i]);
  }
}

static void leave(agpu__emu_runner *blocks) {
  for (uint32_t i = 0; i < blocks->cluster_size; ++i)
    agpu__emu_runner_leave_block(&blocks[i]);
  agpu__self.emu.runner = NULL;
}

bool agpu__emu_cluster_run(agpu__emu_runner *blocks,
                           const agpu__emu_block_order *order, uint64_t first,
                           uint64_t end, const atomic_bool *stop) {
  AGPU__ASSERT(!agpu__self.emu.runner);
  if (setjmp(blocks->leave)) {
    leave(blocks);
    return false;
  }
  for (uint64_t i = first; i < end; ++i) {
    if (atomic_load_explicit(stop, memory_order_relaxed))
      break;
    place(blocks, (order->start + i * order->stride) % order->total);
    run_cluster(blocks);
    leave(blocks);
  }
  return true;
}
