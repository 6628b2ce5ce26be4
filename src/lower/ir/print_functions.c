//===- print_functions.c - Functions that print ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only table of functions that are known by name: those that print, of
// upstream's libmlir_c_runner_utils and libmlir_runner_utils and of our
// runtime/utils, each by its whole name.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

static const char names[] =
    "printI64 printU64 printF16 printBF16 printF32 printF64 printFlops "
    "printString printOpen printClose printComma printNewline printMemrefI8 "
    "printMemrefI16 printMemrefI32 printMemrefI64 printMemrefInd "
    "printMemrefF16 printMemrefBF16 printMemrefF32 printMemrefF64 "
    "printMemrefC32 printMemrefC64 printMemrefShapeI8 printMemrefShapeI32 "
    "printMemrefShapeI64 printMemrefShapeInd printMemrefShapeF32 "
    "printMemrefShapeF64 printMemrefShapeC32 printMemrefShapeC64 "
    "printMemref0dF32 printMemref1dI8 printMemref1dI32 printMemref1dI64 "
    "printMemref1dInd printMemref1dF32 printMemref1dF64 printMemref1dC32 "
    "printMemref1dC64 printMemref2dF32 printMemref3dF32 printMemref4dF32 "
    "printMemrefVector4x4xf32 vprintf";

bool agpu__is_print_function(MlirStringRef name) {
  return agpu__has_word(names, name);
}
