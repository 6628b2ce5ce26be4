//===- liveness.h - Where objects are used and live -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Liveness of a set of values on the control-flow graph of one region without
// nested uses. Time and memory grow with the uses and with the blocks in which
// values live, not with values times blocks (but for one bit of each pair).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_LIVENESS_H
#define ASYNC_GPU_HOST_LIVENESS_H

#include "lower/ir/ir.h"
#include "lower/ir/map.h"

/// An op that uses a value, once for all its uses of it.
typedef struct agpu__use {
  MlirOperation op;
  size_t block; ///< its number
} agpu__use;

typedef struct agpu__uses {
  agpu__use *data; ///< in program order
  size_t count, capacity;
} agpu__uses;

/// Blocks and values are called by their numbers: blocks count from 0 in the
/// region's order, values as in the set.
typedef struct agpu__liveness {
  MlirBlock *blocks;
  size_t block_count;
  size_t value_count;
  agpu__uses *uses;  ///< [value]
  size_t *def_block; ///< [value]
  agpu__map block_numbers;
  size_t *predecessors;      ///< of all blocks, one block after the other
  size_t *first_predecessor; ///< [block], and one more for the end
  uint64_t *live_in;         ///< bits [block][value]
  size_t words;              ///< of a block's bits
  size_t *found;             ///< scratch, one per block
} agpu__liveness;

/// True where liveness flows back along edge `successor` of `terminator`.
typedef bool (*agpu__edge_filter)(MlirOperation terminator, intptr_t successor);

/// Takes down the region's blocks and edges, and where `values` are defined
/// and used.
void agpu__liveness_init(agpu__liveness *self, MlirRegion region,
                         const agpu__values *values, agpu__edge_filter filter);
void agpu__liveness_free(agpu__liveness *self);

/// Computes where `value` is live on entry and returns those blocks, ascending
/// and with the one that defines it. The array is good until the next call.
const size_t *agpu__liveness_of(agpu__liveness *self, size_t value,
                                size_t *out_count);

/// True if `value` is live on entry of `block`. After agpu__liveness_of.
static inline bool agpu__live_in(const agpu__liveness *self, size_t block,
                                 size_t value) {
  return self->live_in[block * self->words + value / 64] >> (value % 64) & 1;
}

/// The number of a block of the region.
size_t agpu__liveness_block(const agpu__liveness *self, MlirBlock block);

#endif // ASYNC_GPU_HOST_LIVENESS_H
