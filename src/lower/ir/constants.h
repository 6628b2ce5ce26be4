//===- constants.h - Numbers that are known when compiling -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_CONSTANTS_H
#define ASYNC_GPU_LOWER_CONSTANTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// True if `value` is an integer or index that an arith.constant gives.
bool agpu__known_number(MlirValue value, int64_t *out_number);

/// How often a loop goes around, if its bounds and a positive step are known.
bool agpu__known_trip_count(MlirValue lower, MlirValue upper, MlirValue step,
                            int64_t *out_trips);

#endif // ASYNC_GPU_LOWER_CONSTANTS_H
