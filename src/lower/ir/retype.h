//===- retype.h - Other types for the values of an op -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_RETYPE_H
#define ASYNC_GPU_LOWER_RETYPE_H

#include "mlir-c/IR.h"

/// What `type` becomes; `type` itself where it stays.
typedef MlirType (*agpu__retype_fn)(MlirType type);

/// `leaf` of a type, and of the types that a function or tuple type holds.
MlirType agpu__retype_leaves(MlirType type, agpu__retype_fn leaf);

/// Gives every value defined in `root` (`root` included), and every type that
/// an op keeps in an attribute, the type that `retype` says. It is asked once
/// for each type.
void agpu__retype(MlirOperation root, agpu__retype_fn retype);

/// Takes away the casts called `cast` in `root` whose type does not change, or
/// not any more.
void agpu__drop_idle_casts(MlirOperation root, const char *cast);

#endif // ASYNC_GPU_LOWER_RETYPE_H
