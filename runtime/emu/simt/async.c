//===- async.c - Work asynchronous to a block's threads -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is kept of a block's mbarriers and copies, from its first one to the end
// of the launch; and whose shared memory an address is of.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/async.h"

#include "base/os/self.h"
#include "emu/simt/bulk.h"
#include "emu/simt/wgmma.h"

#include <stdlib.h>
#include <string.h>

uint32_t agpu__emu_peer_count(const agpu__emu_runner *runner) {
  return runner->cluster ? runner->cluster_size : 1;
}

agpu__emu_runner *agpu__emu_peer(agpu__emu_runner *runner, uint32_t rank) {
  return runner->cluster ? &runner->cluster[rank] : runner;
}

agpu__emu_runner *agpu__emu_owner(const void *place) {
  agpu__emu_runner *runner = agpu__self.emu.runner;
  for (uint32_t rank = 0; rank < agpu__emu_peer_count(runner); ++rank) {
    agpu__emu_runner *peer = agpu__emu_peer(runner, rank);
    uintptr_t offset = (uintptr_t)place - (uintptr_t)peer->block.shared;
    if (offset < peer->block.shared_bytes)
      return peer;
  }
  return NULL;
}

static void leave_products(agpu__emu_runner *runner) {
  agpu__emu_products *products = runner->async->products;
  for (uint32_t i = 0; products && i < runner->thread_count; ++i) {
    for (uint32_t s = 0; s < products[i].sum_count; ++s)
      free(products[i].sums[s].data);
    products[i].sum_count = products[i].count = 0;
    products[i].ended = products[i].closed = 0;
    products[i].is_fenced = false;
  }
}

static void destroy_products(agpu__emu_runner *runner) {
  agpu__emu_products *products = runner->async->products;
  leave_products(runner);
  for (uint32_t i = 0; products && i < runner->thread_count; ++i) {
    free(products[i].sums);
    free(products[i].begun);
  }
  free(products);
}

void agpu__emu_async_leave(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  for (size_t i = 0; i < async->phase_count; ++i)
    AGPU__EMU_TELL(phase_dropped, (&async->phases[i].record));
  async->phase_count = 0;
  for (uint32_t i = 0; async->copies && i < runner->thread_count; ++i) {
    agpu__emu_copies *copies = &async->copies[i];
    copies->count = copies->closed = 0;
  }
  async->arrivals = async->fruitless = 0;
  async->finish = NULL;
  if (async->cluster)
    memset(async->cluster, 0, runner->thread_count);
  for (size_t i = 0; i < async->bulk_count; ++i)
    free(async->bulks[i].kept);
  async->bulk_count = 0;
  if (async->bulk_closed)
    memset(async->bulk_closed, 0,
           runner->thread_count * sizeof *async->bulk_closed);
  leave_products(runner);
  for (size_t i = 0; i < async->joint_count; ++i) {
    free(async->joints[i].lines);
    AGPU__EMU_TELL(phase_dropped, (&async->joints[i].record));
  }
  async->joint_count = 0;
}

void agpu__emu_async_destroy(agpu__emu_runner *runner) {
  agpu__emu_async *async = runner->async;
  if (!async)
    return;
  for (uint32_t i = 0; async->copies && i < runner->thread_count; ++i)
    free(async->copies[i].data);
  free(async->copies);
  free(async->phases);
  free(async->bulks);
  free(async->bulk_closed);
  free(async->cluster);
  free(async->joints);
  destroy_products(runner);
  free(async);
}
