//===- liveness.c - Where objects are used and live -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is live on entry of the blocks from which a use is reached before the
// definition: a walk backwards from each use, which stops at the block of the
// definition and where it has been.
//
//===----------------------------------------------------------------------===//

#include "host/references/liveness.h"

#include <stdlib.h>
#include <string.h>

size_t agpu__liveness_block(const agpu__liveness *self, MlirBlock block) {
  size_t number = agpu__map_get(&self->block_numbers, block.ptr);
  if (number == AGPU__MAP_NONE)
    abort(); // outside of the region
  return number;
}

static void push_use(agpu__uses *uses, agpu__use use) {
  if (uses->count && mlirOperationEqual(uses->data[uses->count - 1].op, use.op))
    return;
  uses->data =
      agpu__grow(uses->data, uses->count, &uses->capacity, sizeof(*uses->data));
  uses->data[uses->count++] = use;
}

static void find_uses(agpu__liveness *self, const agpu__values *values) {
  agpu__map numbers = {0};
  for (size_t v = 0; v < values->count; ++v)
    agpu__map_set(&numbers, values->data[v].ptr, v);
  for (size_t b = 0; b < self->block_count; ++b)
    for (MlirOperation op = mlirBlockGetFirstOperation(self->blocks[b]);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        size_t v = agpu__map_get(&numbers, mlirOperationGetOperand(op, i).ptr);
        if (v != AGPU__MAP_NONE)
          push_use(&self->uses[v], (agpu__use){op, b});
      }
  agpu__map_free(&numbers);
}

/// Calls `visit` for each edge that counts, with the numbers of its ends.
static void each_edge(agpu__liveness *self, agpu__edge_filter filter,
                      void (*visit)(agpu__liveness *self, size_t from,
                                    size_t to)) {
  for (size_t b = 0; b < self->block_count; ++b) {
    MlirOperation end = mlirBlockGetTerminator(self->blocks[b]);
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s)
      if (filter(end, s))
        visit(self, b,
              agpu__liveness_block(self, mlirOperationGetSuccessor(end, s)));
  }
}

static void count_predecessor(agpu__liveness *self, size_t from, size_t to) {
  (void)from;
  ++self->first_predecessor[to + 1];
}

/// Fills each block's part from its end, which becomes its start.
static void put_predecessor(agpu__liveness *self, size_t from, size_t to) {
  self->predecessors[--self->first_predecessor[to + 1]] = from;
}

static void find_predecessors(agpu__liveness *self, agpu__edge_filter filter) {
  // [to + 1] is first the number of to's predecessors, then the end of its
  // part, and in the end its start.
  self->first_predecessor =
      agpu__allocate(self->block_count + 1, sizeof(size_t));
  each_edge(self, filter, count_predecessor);
  for (size_t b = 0; b < self->block_count; ++b)
    self->first_predecessor[b + 1] += self->first_predecessor[b];
  size_t edges = self->first_predecessor[self->block_count];
  self->predecessors = agpu__allocate(edges, sizeof(size_t));
  each_edge(self, filter, put_predecessor);
  memmove(self->first_predecessor, self->first_predecessor + 1,
          self->block_count * sizeof(size_t));
  self->first_predecessor[self->block_count] = edges;
}

void agpu__liveness_init(agpu__liveness *self, MlirRegion region,
                         const agpu__values *values, agpu__edge_filter filter) {
  memset(self, 0, sizeof(*self));
  for (MlirBlock block = mlirRegionGetFirstBlock(region);
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
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
  find_predecessors(self, filter);
  self->words = values->count / 64 + 1;
  self->live_in =
      agpu__allocate(self->block_count * self->words, sizeof(uint64_t));
  self->found = agpu__allocate(self->block_count, sizeof(size_t));
}

void agpu__liveness_free(agpu__liveness *self) {
  for (size_t v = 0; v < self->value_count; ++v)
    free(self->uses[v].data);
  free(self->uses);
  free(self->def_block);
  free(self->blocks);
  agpu__map_free(&self->block_numbers);
  free(self->predecessors);
  free(self->first_predecessor);
  free(self->live_in);
  free(self->found);
  memset(self, 0, sizeof(*self));
}

static int compare_numbers(const void *a, const void *b) {
  size_t left = *(const size_t *)a, right = *(const size_t *)b;
  return (left > right) - (left < right);
}

/// Adds `block` to what was found, once, unless it defines the value.
static void reach(agpu__liveness *self, size_t value, size_t block,
                  size_t *count) {
  if (block == self->def_block[value] || agpu__live_in(self, block, value))
    return;
  self->live_in[block * self->words + value / 64] |= (uint64_t)1
                                                     << (value % 64);
  self->found[(*count)++] = block;
}

const size_t *agpu__liveness_of(agpu__liveness *self, size_t value,
                                size_t *out_count) {
  size_t count = 0;
  const agpu__uses *uses = &self->uses[value];
  for (size_t i = 0; i < uses->count; ++i)
    reach(self, value, uses->data[i].block, &count);
  for (size_t i = 0; i < count; ++i) {
    size_t block = self->found[i];
    for (size_t p = self->first_predecessor[block];
         p < self->first_predecessor[block + 1]; ++p)
      reach(self, value, self->predecessors[p], &count);
  }
  self->found[count++] = self->def_block[value];
  qsort(self->found, count, sizeof(size_t), compare_numbers);
  *out_count = count;
  return self->found;
}
