//===- vectors.h - Vector ops that upstream's conversions leave ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_VECTORS_H
#define ASYNC_GPU_GPU_VECTORS_H

#include "mlir-c/IR.h"

/// Takes each `vector.multi_reduction` in `gpu_module` apart into operations on
/// elements: upstream's pass for them runs on func.func alone. One of scalable
/// vectors stays.
void agpu__expand_multi_reductions(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_VECTORS_H
