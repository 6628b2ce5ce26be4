//===- products.c - Matrices that products are about to read --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each 16 bytes of shared memory, which is what matrices consist of, have a
// count of the products that are to read them. When a product is over it is
// also an access like others, of an agent who knows what the product's threads
// knew when they began it, and leaves it for those that wait (thread_order.h).
//
//===----------------------------------------------------------------------===//

#include "emu/check/products.h"

#include "async_gpu/compiled/native_thread.h"
#include "base/memory/memory.h"
#include "emu/check/report.h"
#include "emu/check/thread_order.h"
#include "emu/check/thread_races.h"
#include "emu/simt/async.h"

#include <string.h>

#define CHUNK 16u

typedef struct chunk {
  const char *location; ///< of the last product
  uint32_t products;
} chunk;

static struct {
  /// Of the shared memory of a block, or of those of a cluster, one after the
  /// other.
  chunk *chunks;
  size_t capacity, per_block;
  uint64_t held; ///< sum of `products`
  uint32_t made; ///< products
} state;

/// The chunk of an address in shared memory of the runner's block or cluster,
/// or NULL.
static chunk *find(uintptr_t address) {
  const agpu__emu_runner *owner = agpu__emu_owner((const void *)address);
  if (!owner)
    return NULL;
  size_t rank = owner->cluster ? (size_t)(owner - owner->cluster) : 0;
  uintptr_t offset = address - (uintptr_t)owner->block.shared;
  return &state.chunks[rank * state.per_block + offset / CHUNK];
}

void agpu__emu_matrix_held(uintptr_t place, const char *location) {
  chunk *of = find(place);
  of->location = location;
  ++of->products;
  ++state.held;
}

void agpu__emu_product_ending(const agpu__emu_phase_record *record) {
  agpu__emu_threads_act(record->arriving, AGPU__EMU_MULTIPLIER(++state.made));
}

void agpu__emu_matrix_released(const agpu__emu_runner *runner, uintptr_t place,
                               uint32_t bytes, const char *location) {
  --find(place)->products;
  --state.held;
  agpu__emu_thread_races_access(runner, place, bytes, AGPU_NATIVE_READS,
                                location, AGPU__EMU_MULTIPLIER(state.made));
}

void agpu__emu_product_ended(agpu__emu_phase_record *record) {
  agpu__emu_threads_leave(&record->complete, AGPU__EMU_MULTIPLIER(state.made));
}

void agpu__emu_products_write(const agpu__emu_runner *runner, uintptr_t address,
                              uint64_t size, const char *location,
                              uint32_t thread) {
  if (!state.held)
    return;
  const uint32_t *threads = runner->block.block_dim;
  uintptr_t end = address + size;
  for (uintptr_t at = address; at < end; at += CHUNK - at % CHUNK) {
    const chunk *of = find(at);
    if (!of || !of->products)
      continue;
    if (agpu__emu_thread_races_is_new(of->location, location))
      agpu__emu_report(
          location, thread % threads[0], thread / threads[0] % threads[1],
          thread / (threads[0] * threads[1]),
          "writes to byte %zu of workgroup memory, which the product begun at "
          "%s is about to read: wait for its group (wgmma.wait_group)",
          (size_t)(at -
                   (uintptr_t)agpu__emu_owner((const void *)at)->block.shared),
          of->location ? of->location : "an unknown place");
    return;
  }
}

void agpu__emu_products_begin_block(const agpu__emu_runner *runner) {
  state.per_block = (runner->block.shared_bytes + CHUNK - 1) / CHUNK;
  size_t count = agpu__emu_peer_count(runner) * state.per_block;
  bool is_used = state.held > 0;
  state.held = 0;
  if (count > state.capacity) {
    agpu__memory_free(state.chunks);
    state.chunks = agpu__memory_alloc((int64_t)(count * sizeof *state.chunks),
                                      _Alignof(chunk), "the check for races");
    state.capacity = count;
    is_used = true;
  }
  if (is_used)
    memset(state.chunks, 0, state.capacity * sizeof *state.chunks);
}

void agpu__emu_products_reset(void) {
  agpu__memory_free(state.chunks);
  memset(&state, 0, sizeof state);
}
