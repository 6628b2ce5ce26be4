//===- tensor_ops.h - Ops that upstream cannot bufferize ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TENSOR_OPS_H
#define ASYNC_GPU_LOWER_TENSOR_OPS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Expresses ops of `module` on tensors that upstream's bufferization does not
/// know by others: `linalg.pack` and `linalg.unpack` by a `linalg.generic`,
/// `ub.poison` by a `tensor.empty`. Fails with a diagnostic.
MlirLogicalResult agpu__expand_tensor_ops(MlirOperation module);

#endif // ASYNC_GPU_LOWER_TENSOR_OPS_H
