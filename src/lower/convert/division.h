//===- division.h - Divisions that have no result -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR and LLVM leave the division of integers by zero undefined, and so that
// of the smallest integer by -1: in the dialects arith and index, and in
// LLVM's.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_DIVISION_H
#define ASYNC_GPU_LOWER_DIVISION_H

#include "lower/ir/ir.h"

/// True if `op` divides integers, or vectors of rank 1 of them, and may have no
/// result: its divisor is no constant that always has one.
bool agpu__division_may_fail(MlirOperation op);

/// Builds, with ops of LLVM's dialect or else of arith, what is wrong with the
/// operands of such a division: an i32 of agpu_native_division, 0 where nothing
/// is.
MlirValue agpu__division_fault(agpu__builder *at, MlirOperation op);

/// Makes `op`, such a division in the LLVM dialect, give what a GPU gives:
/// nothing traps, a quotient by zero has all bits set, a remainder by zero is
/// the dividend, and the smallest integer divided by -1 is itself.
void agpu__division_define(MlirOperation op);

#endif // ASYNC_GPU_LOWER_DIVISION_H
