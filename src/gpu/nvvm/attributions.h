//===- attributions.h - Memory that kernels declare ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ATTRIBUTIONS_H
#define ASYNC_GPU_GPU_ATTRIBUTIONS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Gives workgroup and private memory of the kernels' heads the memory space
/// that it lies in. Reports one that says another.
MlirLogicalResult agpu__place_attributions(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ATTRIBUTIONS_H
