//===- liveness.c - Where objects are used and live -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is live on entry of the blocks from which a use is reached before the
// definition. Sets of values flow back along edges, in postorder, until none
// grows.
//
//===----------------------------------------------------------------------===//

#include "host/references/references.h"

#include <stdlib.h>

size_t agpu__liveness_block(const agpu__liveness *self, MlirBlock block) {
  size_t number = agpu__map_get(&self->block_numbers, block.ptr);
  if (number == AGPU__MAP_NONE)
    abort(); // outside of the region
  return number;
}

static void push_use(agpu__uses *uses, agpu__use use) {
  if (uses->count && mlirOperationEqual(uses->data[uses->count - 1].op, use.op))
    return;
  AGPU__GROW(uses->data, uses->count, uses->capacity);
  uses->data[uses->count++] = use;
}

static void find_uses(agpu__liveness *self, const agpu__values *values) {
  AGPU__SCOPED(map) numbers = {0};
  for (size_t v = 0; v < values->count; ++v)
    agpu__map_set(&numbers, values->data[v].ptr, v);
  for (size_t b = 0; b < self->block_count; ++b)
    AGPU__OPS_FOREACH (op, self->blocks[b])
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        size_t v = agpu__map_get(&numbers, mlirOperationGetOperand(op, i).ptr);
        if (v != AGPU__MAP_NONE)
          push_use(&self->uses[v], (agpu__use){op, b});
      }
}

static void find_edges(agpu__liveness *self, agpu__edge_filter filter) {
  size_t count = 0, capacity = 0;
  self->first_edge = agpu__allocate(self->block_count + 1, sizeof(size_t));
  for (size_t b = 0; b < self->block_count; ++b) {
    self->first_edge[b] = count;
    MlirOperation end = mlirBlockGetTerminator(self->blocks[b]);
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
      if (!filter(end, s))
        continue;
      size_t to = agpu__liveness_block(self, mlirOperationGetSuccessor(end, s));
      AGPU__GROW(self->edges, count, capacity);
      self->edges[count++] = (agpu__edge){end, s, b, to};
    }
  }
  self->first_edge[self->block_count] = count;
}

/// The blocks, each behind those that it leads to, but for edges that go back;
/// the caller frees them.
static size_t *get_postorder(const agpu__liveness *self) {
  size_t count = self->block_count, made = 0, depth = 0;
  size_t *order = agpu__allocate(count, sizeof(*order));
  AGPU__OWNED size_t *stack = agpu__allocate(count, sizeof(*stack));
  AGPU__OWNED size_t *next =
      agpu__allocate(count, sizeof(*next)); // edge of a block
  AGPU__OWNED bool *seen = agpu__allocate(count, sizeof(*seen));
  for (size_t root = 0; root < count; ++root) {
    if (!seen[root])
      stack[depth++] = root;
    seen[root] = true;
    while (depth) {
      size_t block = stack[depth - 1];
      size_t edge = self->first_edge[block] + next[block]++;
      if (edge == self->first_edge[block + 1]) {
        order[made++] = block;
        --depth;
      } else if (!seen[self->edges[edge].to]) {
        seen[self->edges[edge].to] = true;
        stack[depth++] = self->edges[edge].to;
      }
    }
  }
  return order;
}

/// Adds to what is live on entry of `block` what is on entry of those that it
/// leads to, without what it defines. True if that is more than before.
static bool flow_back(agpu__liveness *self, size_t block,
                      const uint64_t *defined) {
  uint64_t *row = self->live_in + block * self->words;
  bool grows = false;
  for (size_t e = self->first_edge[block]; e < self->first_edge[block + 1];
       ++e) {
    const uint64_t *other = agpu__live_row(self, self->edges[e].to);
    for (size_t w = 0; w < self->words; ++w) {
      uint64_t added = other[w] & ~defined[w] & ~row[w];
      row[w] |= added;
      grows |= added != 0;
    }
  }
  return grows;
}

static void find_live(agpu__liveness *self) {
  AGPU__OWNED uint64_t *defined =
      agpu__allocate(self->block_count * self->words, sizeof(uint64_t));
  for (size_t v = 0; v < self->value_count; ++v) {
    agpu__bits_add(defined + self->def_block[v] * self->words, v);
    const agpu__uses *uses = &self->uses[v];
    for (size_t i = 0; i < uses->count; ++i)
      if (uses->data[i].block != self->def_block[v])
        agpu__bits_add(self->live_in + uses->data[i].block * self->words, v);
  }
  AGPU__OWNED size_t *order = get_postorder(self);
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t i = 0; i < self->block_count; ++i)
      grows |= flow_back(self, order[i], defined + order[i] * self->words);
  }
}

void agpu__liveness_init(agpu__liveness *self, MlirRegion region,
                         const agpu__values *values, agpu__edge_filter filter) {
  memset(self, 0, sizeof(*self));
  AGPU__BLOCKS_FOREACH (block, region)
    ++self->block_count;
  self->blocks = agpu__allocate(self->block_count, sizeof(*self->blocks));
  size_t b = 0;
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block), ++b) {
    self->blocks[b] = block;
    agpu__map_set(&self->block_numbers, block.ptr, b);
  }

  self->value_count = values->count;
  self->def_block = agpu__allocate(values->count, sizeof(size_t));
  for (size_t v = 0; v < values->count; ++v) {
    MlirValue value = values->data[v];
    self->def_block[v] = agpu__liveness_block(
        self, mlirValueIsABlockArgument(value)
                  ? mlirBlockArgumentGetOwner(value)
                  : mlirOperationGetBlock(mlirOpResultGetOwner(value)));
  }
  self->uses = agpu__allocate(values->count, sizeof(*self->uses));
  find_uses(self, values);
  find_edges(self, filter);
  self->words = agpu__bits_words(values->count);
  self->live_in =
      agpu__allocate(self->block_count * self->words, sizeof(uint64_t));
  find_live(self);
}

void agpu__liveness_free(agpu__liveness *self) {
  for (size_t v = 0; v < self->value_count; ++v)
    free(self->uses[v].data);
  free(self->uses);
  free(self->def_block);
  free(self->blocks);
  agpu__map_free(&self->block_numbers);
  free(self->edges);
  free(self->first_edge);
  free(self->live_in);
  memset(self, 0, sizeof(*self));
}
