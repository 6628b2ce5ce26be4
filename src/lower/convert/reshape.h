//===- reshape.h - Reshapes to shapes of any type -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_RESHAPE_H
#define ASYNC_GPU_LOWER_RESHAPE_H

#include "mlir-c/IR.h"

/// Replaces each `memref.reshape` in `root` whose shape does not consist of
/// indices, which upstream's conversion does not take.
void agpu__expand_reshapes(MlirOperation root);

#endif // ASYNC_GPU_LOWER_RESHAPE_H
