//===- functions.h - Math functions without a library -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_FUNCTIONS_H
#define ASYNC_GPU_GPU_FUNCTIONS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Before conversion, where math is to be expanded: expresses exponentials,
/// hyperbolic functions, their inverses and the tangent by binary exponentials
/// and logarithms, which the chip approximates, and polynomials where those
/// would leave few right digits. Of f32, f16 and bf16, and vectors of one
/// dimension; others stay. Whether there was one.
bool agpu__expand_functions(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_FUNCTIONS_H
