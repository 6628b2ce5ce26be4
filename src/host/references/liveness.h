//===- liveness.h - Where objects are used and live -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Liveness of a set of values on the control-flow graph of one region without
// nested uses: a bit for each pair of a block and a value.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_LIVENESS_H
#define ASYNC_GPU_HOST_LIVENESS_H

#include "lower/ir/bits.h"
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

/// An edge along which references are carried on, `successor` of `terminator`.
typedef struct agpu__edge {
  MlirOperation terminator;
  intptr_t successor;
  size_t from, to; ///< blocks
} agpu__edge;

/// Blocks and values are called by their numbers: blocks count from 0 in the
/// region's order, values as in the set.
typedef struct agpu__liveness {
  MlirBlock *blocks;
  size_t block_count;
  size_t value_count;
  agpu__uses *uses;  ///< [value]
  size_t *def_block; ///< [value]
  agpu__map block_numbers;
  agpu__edge *edges;  ///< by block, and by successor
  size_t *first_edge; ///< [block], and one more for the end
  uint64_t *live_in;  ///< [block]: a set of values
  size_t words;       ///< of such a set
} agpu__liveness;

/// True where liveness flows back along edge `successor` of `terminator`.
typedef bool (*agpu__edge_filter)(MlirOperation terminator, intptr_t successor);

/// Finds where `values` are defined, used, and live on entry of blocks.
void agpu__liveness_init(agpu__liveness *self, MlirRegion region,
                         const agpu__values *values, agpu__edge_filter filter);
void agpu__liveness_free(agpu__liveness *self);

/// The values that are live on entry of `block`.
static inline const uint64_t *agpu__live_row(const agpu__liveness *self,
                                             size_t block) {
  return self->live_in + block * self->words;
}

/// True if `value` is live on entry of `block`.
static inline bool agpu__live_in(const agpu__liveness *self, size_t block,
                                 size_t value) {
  return agpu__bits_has(agpu__live_row(self, block), value);
}

/// The number of a block of the region.
size_t agpu__liveness_block(const agpu__liveness *self, MlirBlock block);

#endif // ASYNC_GPU_HOST_LIVENESS_H
