//===- vector_accesses.h - Rows of vectors in memory --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_VECTOR_ACCESSES_H
#define ASYNC_GPU_LOWER_VECTOR_ACCESSES_H

#include "mlir-c/IR.h"

/// Makes loads and stores in `root` of vectors with several dimensions, which
/// LLVM's do not have, the transfers that convert-vector-to-scf takes.
void agpu__expand_vector_accesses(MlirOperation root);

#endif // ASYNC_GPU_LOWER_VECTOR_ACCESSES_H
