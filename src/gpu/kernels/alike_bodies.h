//===- alike_bodies.h - Kernels that are alike but for constants -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model are alike but for their weights, which are constants of
// the module that the kernels name. In native code such kernels have one body:
// it is lowered once.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNELS_ALIKE_BODIES_H
#define ASYNC_GPU_GPU_KERNELS_ALIKE_BODIES_H

#include "mlir-c/IR.h"

/// On a kernel whose body is another's: what that is called in the program, a
/// string.
#define AGPU__ALIKE_TO "agpu.alike"

/// On all that have one body: the constants of each, in the same order, an
/// array of symbols.
#define AGPU__ALIKE_CONSTANTS "agpu.constants"

/// Sets the attributes on kernels of `gpu_module`, gpu.func or llvm.func, that
/// are alike but for constants, and empties those that are like one before.
void agpu__alike_bodies(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_KERNELS_ALIKE_BODIES_H
