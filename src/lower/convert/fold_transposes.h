//===- fold_transposes.h - Transposes of constants --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_FOLD_TRANSPOSES_H
#define ASYNC_GPU_LOWER_FOLD_TRANSPOSES_H

#include "mlir-c/IR.h"

/// Replaces each linalg.transpose of a constant tensor in `module` by a
/// constant: front ends transpose weights, which would be done in each call.
/// Elements of 1, 2, 4 and 8 bytes; others stay.
void agpu__fold_transposes(MlirOperation module);

#endif // ASYNC_GPU_LOWER_FOLD_TRANSPOSES_H
