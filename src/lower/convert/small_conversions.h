//===- small_conversions.h - arith of floats of 8, 6 and 4 bits - -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_SMALL_CONVERSIONS_H
#define ASYNC_GPU_LOWER_SMALL_CONVERSIONS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Expresses `arith.extf` and `arith.truncf` from and to floats of 8, 6 and 4
/// bits in `root` by arithmetic on integers, of scalars and of vectors. Returns
/// whether there were any.
bool agpu__expand_small_conversions(MlirOperation root);

#endif // ASYNC_GPU_LOWER_SMALL_CONVERSIONS_H
