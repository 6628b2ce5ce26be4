//===- async_ops.h - Tokens of the gpu dialect's ops ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of the gpu dialect in host code takes the tokens that it depends on as
// its first operands, and one with `async` gives a token as its last result.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASYNC_OPS_H
#define ASYNC_GPU_GPU_ASYNC_OPS_H

#include "lower/ir/ir.h"

#include <stdint.h>

/// The token that `op` gives; null: it gives none.
MlirValue agpu__async_token_of(MlirOperation op);

/// The number of tokens that `op` depends on.
intptr_t agpu__async_dependency_count(MlirOperation op);

/// The attributes of `op`, of the gpu dialect or an async.execute, as they are
/// with `more` dependencies (negative: fewer). The caller frees the array.
MlirNamedAttribute *agpu__async_attributes(MlirOperation op, int32_t more,
                                           size_t *out_count);

/// Operand segments of gpu.launch_func; segment 0 is the dependencies.
enum {
  AGPU__LAUNCH_CLUSTER = 7, ///< to 9: x, y, z
  AGPU__LAUNCH_SHARED = 10,
  AGPU__LAUNCH_ARGUMENTS = 11,
  AGPU__LAUNCH_OBJECT = 12,
};

/// The size of a segment of an op with `operandSegmentSizes`.
int32_t agpu__segment(MlirOperation op, intptr_t segment);

#endif // ASYNC_GPU_GPU_ASYNC_OPS_H
