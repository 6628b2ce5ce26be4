//===- tensor_fences.h - Tensor maps in global memory -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_TENSOR_FENCES_H
#define ASYNC_GPU_GPU_TENSOR_FENCES_H

#include "mlir-c/IR.h"

/// Puts a `nvvm.fence.proxy.acquire` of each tensor map before its uses in
/// `gpu_module`, which is lowered: one that is a parameter of a kernel is
/// fenced where the kernel begins, any other right before its use. Maps in
/// parameters by value and in constant memory need none. What is fenced is left
/// as it is.
void agpu__fence_tensor_maps(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_TENSOR_FENCES_H
