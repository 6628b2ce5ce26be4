//===- nvvm.h - gpu.module to the LLVM and NVVM dialects ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first step of every kernel: upstream's conversions, in an order chosen
// from what the module holds, and the check that nothing is left over.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NVVM_H
#define ASYNC_GPU_GPU_NVVM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

/// Converts the body of `gpu_module` (a gpu.module) to the LLVM and NVVM
/// dialects in place; index becomes i64, a memref argument its descriptor's
/// members. A module that holds only those dialects already is left as it is.
/// Fails with a diagnostic at each op that has no conversion; the module is
/// then in an unspecified state. `has_redux` says that all targets have
/// `redux.sync`. Upstream's passes must be registered.
MlirLogicalResult agpu__nvvm_lower(MlirOperation gpu_module, bool has_redux);

/// True for a function that a host can launch (a lowered kernel).
bool agpu__nvvm_is_kernel(MlirOperation function);

/// True for an llvm.func without a body.
bool agpu__nvvm_is_declaration(MlirOperation function);

#endif // ASYNC_GPU_GPU_NVVM_H
