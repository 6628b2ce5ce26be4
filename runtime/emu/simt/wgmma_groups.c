//===- wgmma_groups.c - Products that are under way -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is made when its thread waits for its group, in the order in which
// it was begun. Until then, and after, the kernel holds a mark in the place of
// the sums, which lie here: who reads them asks for them, and is found out
// where their product has not been waited for.
//
// Sums live to the end of the block, but where the next product takes them over
// (the kernel says where it does not, as it needs the old ones, too).
//
//===----------------------------------------------------------------------===//

#include "emu/simt/wgmma.h"

#include <stdlib.h>
#include <string.h>

/// What stands for sums: a NaN, as floats of 32 and of 16 bits. No sums that a
/// program makes on purpose look so.
typedef struct mark {
  uint32_t number, magic;
} mark;
#define MAGIC 0xfff7a5c3u
_Static_assert(sizeof(mark) == AGPU_NATIVE_WGMMA_MARK, "what kernels hand on");

static agpu__emu_products *products_of(agpu__emu_runner *runner,
                                       uint32_t thread) {
  agpu__emu_async *async = agpu__emu_async_get(runner);
  if (!async->products)
    async->products = calloc(runner->thread_count, sizeof *async->products);
  if (!async->products)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its products of matrices");
  return &async->products[thread];
}

/// The sums that stand at `d`, or NULL.
static agpu__emu_sums *find_sums(agpu__emu_products *self, const void *d,
                                 uint32_t bytes) {
  mark found;
  memcpy(&found, d, sizeof found);
  return found.magic == MAGIC && found.number < self->sum_count &&
                 self->sums[found.number].bytes == bytes
             ? &self->sums[found.number]
             : NULL;
}

static agpu__emu_sums *add_sums(agpu__emu_products *self, const void *d,
                                uint32_t bytes) {
  self->sums = agpu__emu_grow(self->sums, self->sum_count, &self->sum_capacity,
                              sizeof *self->sums);
  agpu__emu_sums *added = &self->sums[self->sum_count];
  *added = (agpu__emu_sums){.data = malloc(bytes), .bytes = bytes};
  if (!added->data)
    agpu__emu_block_fail(CUDA_ERROR_OUT_OF_MEMORY, NULL,
                         "no memory for its products of matrices");
  ++self->sum_count;
  memcpy(added->data, d, bytes);
  return added;
}

static void write_mark(const agpu__emu_products *self, const agpu__emu_sums *of,
                       void *d) {
  const mark own = {(uint32_t)(of - self->sums), MAGIC};
  memcpy(d, &own, sizeof own);
}

/// Makes the first `count` of the products that have begun.
static void make(agpu__emu_runner *runner, agpu__emu_products *self,
                 uint32_t thread, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    agpu__emu_begun *first = &self->begun[i];
    agpu__emu_actor actor = {.location = first->location};
    agpu__emu_number_id(runner, thread, actor.thread);
    agpu__emu_joint_end(runner, &actor, self->ended++,
                        self->sums[first->to].data);
    --self->sums[first->to].pending;
  }
  self->count -= count;
  memmove(self->begun, self->begun + count, self->count * sizeof *self->begun);
}

/// The sums that a product at `d` adds to.
static agpu__emu_sums *take_sums(agpu__emu_products *self,
                                 const agpu__emu_actor *actor,
                                 const agpu__emu_wgmma *op, const void *d) {
  uint32_t bytes = agpu__emu_wgmma_bytes(op);
  agpu__emu_sums *found = find_sums(self, d, bytes);
  if (!found && !self->is_fenced)
    agpu__emu_actor_fail(actor, CUDA_ERROR_LAUNCH_FAILED,
                         "multiplies matrices, and adds to registers that it "
                         "has written, with no wgmma.fence in between");
  if (found && op->flags & AGPU_NATIVE_WGMMA_COPIES) {
    if (op->flags & AGPU_NATIVE_WGMMA_ZERO)
      return add_sums(self, d, bytes);
    if (found->pending)
      agpu__emu_actor_fail(
          actor, CUDA_ERROR_LAUNCH_FAILED,
          "keeps the sums of the wgmma at %s beside those that it adds to "
          "them, before it has waited for its group (wgmma.wait_group)",
          found->location);
    return add_sums(self, found->data, bytes);
  }
  return found ? found : add_sums(self, d, bytes);
}

/// Of patterns of swizzling that begin elsewhere than their alignment says, the
/// manual says how descriptors are marked, and not what bits that moves.
static void check_base_offset(const agpu__emu_actor *actor,
                              uint64_t descriptor) {
  unsigned offset = (unsigned)(descriptor >> 49 & 7);
  if (offset)
    agpu__emu_actor_fail(actor, CUDA_ERROR_LAUNCH_FAILED,
                         "multiplies matrices by a descriptor with a base "
                         "offset of %u, which the emulated device does not "
                         "have: align them to what their swizzling repeats "
                         "after (1024 bytes, or 512 or 256)",
                         offset);
}

void agpu_native_wgmma(void *d, uint64_t descriptor_a, uint64_t descriptor_b,
                       uint32_t n, uint32_t k, uint32_t type_a, uint32_t type_b,
                       uint32_t flags, const char *location, uint32_t x,
                       uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  if (runner->thread_count % AGPU__EMU_WARP_GROUP)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "is in a block of %u threads, and a warp group has %u",
                         runner->thread_count, AGPU__EMU_WARP_GROUP);
  check_base_offset(&actor, descriptor_a);
  check_base_offset(&actor, descriptor_b);
  uint32_t thread = agpu__emu_thread_number(runner, x, y, z);
  agpu__emu_products *self = products_of(runner, thread);
  const agpu__emu_wgmma op = {.descriptor_a = descriptor_a,
                              .descriptor_b = descriptor_b,
                              .n = n,
                              .k = k,
                              .type_a = (agpu_native_wgmma_type)type_a,
                              .type_b = (agpu_native_wgmma_type)type_b,
                              .flags = flags};
  agpu__emu_sums *to = take_sums(self, &actor, &op, d);
  agpu__emu_joint_begin(runner, &actor, self->ended + self->count, &op);
  ++to->pending;
  to->location = location;
  write_mark(self, to, d);
  self->begun = agpu__emu_grow(self->begun, self->count, &self->capacity,
                               sizeof *self->begun);
  self->begun[self->count++] =
      (agpu__emu_begun){.location = location,
                        .group = self->closed,
                        .to = (uint32_t)(to - self->sums)};
}

void agpu_native_wgmma_read(void *d, uint32_t bytes, const char *location,
                            uint32_t x, uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu__emu_actor actor = {location, {x, y, z}};
  agpu__emu_products *self =
      products_of(runner, agpu__emu_thread_number(runner, x, y, z));
  const agpu__emu_sums *found = find_sums(self, d, bytes);
  if (!found)
    return;
  if (found->pending)
    agpu__emu_actor_fail(&actor, CUDA_ERROR_LAUNCH_FAILED,
                         "reads the sums of the wgmma at %s, which it has not "
                         "waited for: wait for its group (wgmma.wait_group)",
                         found->location);
  memcpy(d, found->data, bytes);
}

void agpu_native_wgmma_fence(const char *location, uint32_t x, uint32_t y,
                             uint32_t z) {
  (void)location;
  agpu__emu_runner *runner = agpu__emu_runner_current();
  products_of(runner, agpu__emu_thread_number(runner, x, y, z))->is_fenced =
      true;
}

void agpu__emu_wgmma_commit(agpu__emu_runner *runner, uint32_t thread) {
  ++products_of(runner, thread)->closed;
}

void agpu__emu_wgmma_wait(agpu__emu_runner *runner, uint32_t thread,
                          uint32_t pending) {
  agpu__emu_products *self = products_of(runner, thread);
  uint32_t count = 0;
  while (count < self->count &&
         self->begun[count].group + pending < self->closed)
    ++count;
  make(runner, self, thread, count);
  self->is_fenced = false;
}
