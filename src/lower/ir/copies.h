//===- copies.h - Copies of ops -----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of ops and blocks, in which what is copied itself stands for the
// originals.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_IR_COPIES_H
#define ASYNC_GPU_LOWER_IR_COPIES_H

#include "lower/ir/build.h"
#include "lower/ir/map.h"

/// What stands for values in a copy. Zero-initialise; free with
/// agpu__copies_free.
typedef struct agpu__copies {
  agpu__map numbers; ///< values: numbers in `values`
  agpu__values values;
} agpu__copies;

/// What stands for `value`: itself where nothing else does.
MlirValue agpu__copies_get(const agpu__copies *copies, MlirValue value);
void agpu__copies_set(agpu__copies *copies, MlirValue value, MlirValue copy);
void agpu__copies_free(agpu__copies *copies);

/// A copy of `op` and of what is in it, which is the caller's, and whose
/// results stand for those of `op` from then on.
MlirOperation agpu__copy_op(agpu__copies *copies, MlirOperation op);

/// The same, at the end of `to`.
void agpu__append_copy(agpu__copies *copies, MlirOperation op, MlirBlock to);

/// Appends copies of the blocks, each of which stands after those that dominate
/// it, to their region. Edges between them lead to the copies.
void agpu__copy_blocks(agpu__copies *copies, const MlirBlock *blocks,
                       size_t count, MlirLocation location,
                       MlirBlock *out_copies);

#endif // ASYNC_GPU_LOWER_IR_COPIES_H
