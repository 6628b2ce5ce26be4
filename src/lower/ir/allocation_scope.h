//===- allocation_scope.h - How often memory is allocated -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `memref.alloca` gives memory that is there until the innermost allocation
// scope around it is left. A scope may be a loop (`scf.for`), each of whose
// rounds has memory of its own, for as long as the round lasts: one buffer does
// for all of them. A loop that is no scope (`scf.while`, or blocks in a circle)
// gives each round another buffer, and all of them stay. One buffer does there
// only where no round can see the one of a round before.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ALLOCATION_SCOPE_H
#define ASYNC_GPU_LOWER_ALLOCATION_SCOPE_H

#include "lower/ir/ops.h"

/// The innermost op around `op` at whose end memory from the stack is freed; a
/// null op where there is none.
MlirOperation agpu__allocation_scope(MlirOperation op);

/// Null if one buffer can stand for all that `allocation`, an op in `scope`,
/// gives while a region of `scope` runs once; otherwise the op that hands the
/// memory on to where a later round of a loop may see it.
MlirOperation agpu__handed_over_in(MlirOperation allocation,
                                   MlirOperation scope);

/// Puts the ops of `scope`, a `memref.alloca_scope` of one block, in its place.
void agpu__inline_scope(MlirOperation scope);

#endif // ASYNC_GPU_LOWER_ALLOCATION_SCOPE_H
