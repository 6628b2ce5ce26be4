//===- byte_constants.h - Constants as bytes ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_BYTE_CONSTANTS_H
#define ASYNC_GPU_LOWER_BYTE_CONSTANTS_H

#include "mlir-c/IR.h"

/// Makes the constants that llvm.mlir.global ops of `module` have bytes, unless
/// they are small. LLVM has an object for each innermost row of arrays of
/// several dimensions, and writes floats one by one, which takes longer than
/// all else of a program with weights. In memory they are the same, as that is
/// little-endian on all targets. The globals keep the
/// alignment that they have.
void agpu__constants_to_bytes(MlirOperation module);

#endif // ASYNC_GPU_LOWER_BYTE_CONSTANTS_H
