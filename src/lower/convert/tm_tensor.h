//===- tm_tensor.h - torch-mlir's own ops on tensors --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TM_TENSOR_H
#define ASYNC_GPU_LOWER_TM_TENSOR_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Expresses `tm_tensor.attention` in `module` by ops of linalg on tensors,
/// which can be fused. Fails with a diagnostic.
MlirLogicalResult agpu__expand_attention(MlirOperation module);

/// Expresses `tm_tensor.scan`, `scatter` and `sort` by loops of linalg over
/// memory, which must not be fused. Fails with a diagnostic, for ops of the
/// dialect that it does not know, too.
MlirLogicalResult agpu__expand_tm_tensor(MlirOperation module);

#endif // ASYNC_GPU_LOWER_TM_TENSOR_H
