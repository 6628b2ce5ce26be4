//===- cluster_barrier.c - The barrier of a cluster -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread's state is kept with its block's asynchronous work. A second
// arrival before a wait, and a wait without an arrival, which PTX leaves
// undefined, fail the launch; so does a reach into the memory of a block that
// the cluster does not have.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/cluster_barrier.h"

#include <stdlib.h>

static bool waits_here(const agpu_native_thread *thread) {
  return thread->frame && thread->site &&
         thread->site->wait == AGPU_NATIVE_CLUSTER_WAIT;
}

static uint8_t state_of(const agpu__emu_runner *runner, uint32_t thread) {
  return runner->async && runner->async->cluster
             ? runner->async->cluster[thread]
             : AGPU__EMU_CLUSTER_AWAY;
}

/// A thread of the cluster's that has neither ended nor arrived, in the block
/// with rank `*out_rank`, or NULL. `*out_any`: some has arrived.
static const agpu_native_thread *
find_missing(agpu__emu_runner *runner, uint32_t *out_rank, bool *out_any) {
  *out_any = false;
  for (uint32_t rank = 0; rank < agpu__emu_peer_count(runner); ++rank) {
    agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
    for (uint32_t i = 0; peer->has_started && i < peer->thread_count; ++i) {
      bool arrived = state_of(peer, i) == AGPU__EMU_CLUSTER_ARRIVED;
      *out_any |= arrived;
      *out_rank = rank;
      if (peer->threads[i].frame && !arrived)
        return &peer->threads[i];
    }
  }
  return NULL;
}

static void open_barrier(agpu__emu_runner *runner) {
  AGPU__EMU_TELL(cluster_barrier, (runner));
  for (uint32_t rank = 0; rank < agpu__emu_peer_count(runner); ++rank) {
    agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
    for (uint32_t i = 0; peer->has_started && i < peer->thread_count; ++i)
      if (state_of(peer, i) == AGPU__EMU_CLUSTER_ARRIVED)
        peer->async->cluster[i] = AGPU__EMU_CLUSTER_OPENED;
  }
}

bool agpu__emu_cluster_barrier_release(agpu__emu_runner *runner) {
  uint32_t rank;
  bool any, released = false;
  const agpu_native_thread *missing = find_missing(runner, &rank, &any);
  if (!missing && any)
    open_barrier(runner);
  for (uint32_t i = 0; i < runner->thread_count; ++i) {
    agpu_native_thread *thread = &runner->threads[i];
    if (!waits_here(thread))
      continue;
    uint8_t state = state_of(runner, i);
    if (state == AGPU__EMU_CLUSTER_AWAY) {
      agpu__emu_actor actor = {.location = thread->site->location};
      agpu__emu_thread_id(thread, actor.thread);
      agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                           "waits at the barrier of its cluster, at which it "
                           "has not arrived");
    }
    if (state != AGPU__EMU_CLUSTER_OPENED)
      continue;
    runner->async->cluster[i] = AGPU__EMU_CLUSTER_AWAY;
    thread->site = NULL;
    released = true;
  }
  return released;
}

void agpu__emu_cluster_barrier_fail(agpu__emu_runner *runner) {
  uint32_t i = 0, rank, id[3];
  while (i < runner->thread_count && !waits_here(&runner->threads[i]))
    ++i;
  bool any;
  const agpu_native_thread *missing = find_missing(runner, &rank, &any);
  if (i == runner->thread_count || !missing)
    return;
  const agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
  const uint32_t *size = runner->block.block_dim, *block = peer->block.block_id;
  uint32_t other = (uint32_t)(missing - peer->threads);
  agpu__emu_thread_id(&runner->threads[i], id);
  agpu__emu_block_fail(
      CUDA_ERROR_LAUNCH_FAILED, runner->threads[i].site->location,
      "thread %u,%u,%u waits in vain at the barrier of its cluster: thread "
      "%u,%u,%u of block %u,%u,%u has not arrived; it waits at %s",
      id[0], id[1], id[2], other % size[0], other / size[0] % size[1],
      other / (size[0] * size[1]), block[0], block[1], block[2],
      missing->site ? missing->site->location : "no place");
}

void agpu_native_cluster_arrive(uint32_t relaxed, const char *location,
                                uint32_t x, uint32_t y, uint32_t z) {
  (void)relaxed;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_async *async = agpu__emu_async_get(runner);
  uint32_t thread = agpu__emu_thread_number(runner, x, y, z);
  if (!async->cluster)
    async->cluster = calloc(runner->thread_count, 1);
  if (!async->cluster)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for the barrier of its cluster");
  if (async->cluster[thread] != AGPU__EMU_CLUSTER_AWAY)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "arrives at the barrier of its cluster again, and has "
                         "not waited since it arrived");
  async->cluster[thread] = AGPU__EMU_CLUSTER_ARRIVED;
}

void *agpu_native_map_shared(void *address, uint32_t rank, const char *location,
                             uint32_t x, uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_runner *owner = agpu__emu_owner(address);
  if (!owner)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_ILLEGAL_ADDRESS,
                         "maps %p, which is not in shared memory", address);
  if (rank >= agpu__emu_peer_count(runner))
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "maps an address to block %u of a cluster of %u", rank,
                         agpu__emu_peer_count(runner));
  if (agpu__emu_peer(runner, rank)->has_ended)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "maps an address to block %u of its cluster, which "
                         "has ended: let it wait at a barrier of the cluster "
                         "behind the last access",
                         rank);
  return (char *)agpu__emu_peer(runner, rank)->block.shared +
         ((char *)address - (char *)owner->block.shared);
}
