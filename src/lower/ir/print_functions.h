//===- print_functions.h - Functions that print -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PRINT_FUNCTIONS_H
#define ASYNC_GPU_LOWER_PRINT_FUNCTIONS_H

#include "mlir-c/Support.h"

#include <stdbool.h>

/// True for the name of a function of upstream's runner libraries that prints:
/// it reads what it is given, and does no more to memory. What a program's own
/// function does is not known by its name; one with a body in the module is
/// looked at instead.
bool agpu__is_print_function(MlirStringRef name);

#endif // ASYNC_GPU_LOWER_PRINT_FUNCTIONS_H
