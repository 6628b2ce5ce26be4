//===- small_floats.h - Floats of 8, 6 and 4 bits --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What templates/small_floats.mlir is filled with for each format.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_SMALL_FLOATS_H
#define ASYNC_GPU_LOWER_SMALL_FLOATS_H

#include "lower/ir/template.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// A sign, an exponent and `fraction` bits, in the lowest `bits` of an i32.
typedef struct agpu__small_float {
  const char *type; ///< as MLIR prints it
  unsigned bits, fraction, bias;
  uint32_t most;     ///< the largest number
  uint32_t infinity; ///< 0: there is none
  uint32_t nan;      ///< the largest number where there is none
} agpu__small_float;

/// The format of an MLIR type, or NULL.
const agpu__small_float *agpu__small_float_find(MlirType type);

/// One of them, for what is the same for all.
const agpu__small_float *agpu__small_float_any(void);

/// Fills the holes of the functions `encode`, where what is too large becomes
/// the largest number if `saturates`, and `decode`.
void agpu__small_float_holes(const agpu__small_float *self, bool saturates,
                             agpu__holes *holes);

#endif // ASYNC_GPU_LOWER_SMALL_FLOATS_H
