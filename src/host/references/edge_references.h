//===- edge_references.h - References that change on edges ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_EDGE_REFERENCES_H
#define ASYNC_GPU_HOST_EDGE_REFERENCES_H

#include "lower/ir/ir.h"

/// On edge `successor` of the terminator of block number `block`, references of
/// value number `value` are added (`change` > 0) or dropped.
typedef struct agpu__edge_change {
  size_t block;
  MlirOperation terminator;
  intptr_t successor;
  size_t value;
  int64_t change;
} agpu__edge_change;

typedef struct agpu__edge_changes {
  agpu__edge_change *data;
  size_t count, capacity;
} agpu__edge_changes;

void agpu__edge_changes_push(agpu__edge_changes *changes,
                             agpu__edge_change change);
void agpu__edge_changes_free(agpu__edge_changes *changes);

/// Puts what was collected on the edges. Edges into blocks that only pass an
/// error on drop after it, and such blocks share what they drop. The order of
/// `changes` is lost.
void agpu__edge_changes_apply(agpu__edge_changes *changes,
                              const agpu__values *values);

/// Builds `async.runtime.add_ref` or `drop_ref` by `change`; nothing for 0.
void agpu__build_reference_change(agpu__builder *at, MlirValue value,
                                  int64_t change);

#endif // ASYNC_GPU_HOST_EDGE_REFERENCES_H
