//===- references.h - Reference counts -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes that insert and remove references share.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_REFERENCES_REFERENCES_H
#define ASYNC_GPU_HOST_REFERENCES_REFERENCES_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Where objects are used and live
//
// Liveness of a set of values on the control-flow graph of one region without
// nested uses: a bit for each pair of a block and a value.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// References that change on edges
//===----------------------------------------------------------------------===//

/// References of value number `value` that are added on an edge.
typedef struct agpu__edge_add {
  size_t edge, value;
  int64_t count;
} agpu__edge_add;

/// What happens on the edges of a region, by their numbers.
typedef struct agpu__edge_changes {
  const agpu__edge *edges;
  size_t edge_count;
  uint64_t *drops; ///< [edge]: a set of values, of each of which one reference
                   ///< is dropped
  size_t words;    ///< of such a set
  agpu__edge_add *adds;
  size_t add_count, add_capacity;
} agpu__edge_changes;

/// No changes yet. Free with agpu__edge_changes_free.
void agpu__edge_changes_init(agpu__edge_changes *self,
                             const agpu__liveness *liveness);
void agpu__edge_changes_free(agpu__edge_changes *self);

/// The values that `edge` drops.
static inline uint64_t *agpu__edge_drops(const agpu__edge_changes *self,
                                         size_t edge) {
  return self->drops + edge * self->words;
}

/// References of value `value` are added (`change` > 0), or one is dropped.
void agpu__edge_changes_push(agpu__edge_changes *self, size_t edge,
                             size_t value, int64_t change);

/// Puts what was collected on the edges. Edges into blocks that only pass an
/// error on drop after it, and such blocks share what they drop.
void agpu__edge_changes_apply(agpu__edge_changes *self,
                              const agpu__values *values);

/// Builds `async.runtime.add_ref` or `drop_ref` by `change`; nothing for 0.
void agpu__build_reference_change(agpu__builder *at, MlirValue value,
                                  int64_t change);

//===----------------------------------------------------------------------===//
// What ops do with references
//===----------------------------------------------------------------------===//

/// How many references of `value` the op takes: one for each operand that is
/// `value` and whose reference the op hands over or keeps.
int64_t agpu__references_taken(MlirOperation op, MlirValue value);

/// The op's object results come with a reference. The results of all others
/// (a select, a cast, a load) are aliases and get one of their own.
bool agpu__gives_references(MlirOperation op);

/// The value is a result that the function around it completes (attributes.h):
/// of its references, the function has none to count.
bool agpu__is_own_result(MlirValue value);

#endif // ASYNC_GPU_HOST_REFERENCES_REFERENCES_H
