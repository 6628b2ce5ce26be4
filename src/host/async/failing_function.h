//===- failing_function.h - A function that gives its failure ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_ASYNC_FAILING_FUNCTION_H
#define ASYNC_GPU_HOST_ASYNC_FAILING_FUNCTION_H

#include "mlir-c/IR.h"

/// Lowers what fails or is awaited in a `func.func` with AGPU__FAILS_ATTR,
/// which goes away.
void agpu__lower_failing_function(MlirOperation function);

#endif // ASYNC_GPU_HOST_ASYNC_FAILING_FUNCTION_H
