//===- atomics.h - Atomic operations without an instruction -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ATOMICS_H
#define ASYNC_GPU_LOWER_ATOMICS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Makes a `memref.generic_atomic_rmw` of each `memref.atomic_rmw` in
/// `root` that multiplies, which LLVM has no operation for. Returns whether
/// there were any.
bool agpu__expand_atomics(MlirOperation root);

/// After conversion: `llvm.cmpxchg` of floats (memref.generic_atomic_rmw)
/// exchanges the integers with their bits.
void agpu__repair_exchanges(MlirOperation root);

#endif // ASYNC_GPU_LOWER_ATOMICS_H
