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

typedef struct agpu__nvvm_options {
  /// A memref argument of a kernel is the pointer to its allocation, not the
  /// members of its descriptor.
  bool bare_pointers;
  bool has_redux;   ///< the target has `redux.sync`
  bool is_native;   ///< the only target is native code
  bool expand_math; ///< expand math ops rather than call libdevice
} agpu__nvvm_options;

/// Converts the body of `gpu_module` (a gpu.module) to the LLVM and NVVM
/// dialects in place; index becomes i64, a memref argument its descriptor's
/// members. A module that holds only those dialects already is left as it is.
/// Fails with a diagnostic at each op that has no conversion; the module is
/// then in an unspecified state. Upstream's passes must be registered.
MlirLogicalResult agpu__nvvm_lower(MlirOperation gpu_module,
                                   const agpu__nvvm_options *options);

/// Converts what of `gpu_module`, so lowered, LLVM knows as text of PTX alone:
/// ops of the NVVM dialect that have no intrinsic. Native code is made of the
/// ops.
MlirLogicalResult agpu__nvvm_to_text(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_NVVM_H
