//===- template.h - Ops that are written as text ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an op expands to is easier to read as MLIR than as calls that build it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TEMPLATE_H
#define ASYNC_GPU_LOWER_TEMPLATE_H

#include "lower/ir/ir.h"

#include "mlir-c/Support.h"

/// Replaces `op` by the body of `function`: the text of a `func.func` with one
/// block that takes op's operands, then the `extra_count` values of `extra`,
/// and returns op's results. The text refers to no symbols. All new ops get
/// op's location. A `builtin.unrealized_conversion_cast` in the text, of two
/// values to one, becomes the body of op's region, which has one block of two
/// arguments and yields one value. Fails with a diagnostic at `op`, which
/// stays, where the text is malformed: what it is filled with has to be looked
/// at before.
MlirLogicalResult agpu__template_replace(MlirOperation op, const char *function,
                                         const MlirValue *extra,
                                         size_t extra_count);

#endif // ASYNC_GPU_LOWER_TEMPLATE_H
