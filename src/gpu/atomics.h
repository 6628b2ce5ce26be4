//===- atomics.h - Atomic operations without an instruction -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ATOMICS_H
#define ASYNC_GPU_GPU_ATOMICS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Makes a `memref.generic_atomic_rmw` of each `memref.atomic_rmw` in
/// `gpu_module` that multiplies, which LLVM has no operation for. Returns
/// whether there were any.
bool agpu__expand_atomics(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ATOMICS_H
