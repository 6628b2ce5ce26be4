//===- parameters.h - Parameters of kernels as PTX has them -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PARAMETERS_H
#define ASYNC_GPU_GPU_PARAMETERS_H

#include "gpu/ptx/ptx.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Gives each parameter of a kernel whose bits do not fill whole words (i24,
/// vector<4xi1>) a type of whole words with the same bytes at the same places,
/// and makes the value of it where the kernel begins. The host goes on storing
/// the value as it did. Of a lowered `gpu_module`; launches must have been
/// checked against it before. Fails with a diagnostic at each kernel that has
/// such a value inside an array or a structure.
MlirLogicalResult agpu__widen_parameters(MlirOperation gpu_module);

/// Whether the parameters of each kernel of a lowered `gpu_module` fit: a
/// diagnostic at each whose do not. `versions`, of each chip, becomes what PTX
/// version the kernels need at least; `ptx_version`: the one that was asked
/// for, or 0. Without chips the limit of the emulated device holds, which is
/// that of the latest ones.
MlirLogicalResult agpu__parameter_space_check(MlirOperation gpu_module,
                                              const agpu__chip *const *chips,
                                              size_t chip_count,
                                              int ptx_version, int *versions);

#endif // ASYNC_GPU_GPU_PARAMETERS_H
