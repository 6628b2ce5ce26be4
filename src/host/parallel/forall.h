//===- forall.h - scf.forall as scf.parallel --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_FORALL_H
#define ASYNC_GPU_HOST_FORALL_H

#include "mlir-c/IR.h"

/// Replaces an `scf.forall` by an `scf.parallel` of the same iterations. An
/// error, with nothing changed, if it gives tensors.
MlirLogicalResult agpu__forall_to_parallel(MlirOperation forall);

#endif // ASYNC_GPU_HOST_FORALL_H
