//===- edge_references.h - References that change on edges ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_EDGE_REFERENCES_H
#define ASYNC_GPU_HOST_EDGE_REFERENCES_H

#include "host/references/liveness.h"
#include "lower/ir/ir.h"

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

#endif // ASYNC_GPU_HOST_EDGE_REFERENCES_H
