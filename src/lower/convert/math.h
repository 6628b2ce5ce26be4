//===- math.h - Math that upstream's conversions leave ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_MATH_H
#define ASYNC_GPU_LOWER_MATH_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Expresses the ops of the math dialect in `root` that upstream has no
/// conversion for by others: `math.ipowi`, and `math.fpowi` to an integer that
/// is no i32, by a loop; `math.isinf`, `isfinite`,
/// `isnan` and `isnormal` by a test of the number's class; `math.sincos` of
/// vectors by a sine and a cosine. Returns whether there were any.
bool agpu__expand_math(MlirOperation root);

#endif // ASYNC_GPU_LOWER_MATH_H
