//===- async_functions.h - Async functions as functions ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_ASYNC_FUNCTIONS_H
#define ASYNC_GPU_HOST_ASYNC_FUNCTIONS_H

#include "mlir-c/IR.h"

/// Makes a `func.func` in front of an `async.func`, with its name, its type and
/// its body, which is moved. What the passes noted of the region
/// (`dialect/attributes.h`) is left out. The async function, empty, is the
/// caller's to destroy.
MlirOperation agpu__async_function_as_func(MlirOperation async_function);

/// `async.call` → `func.call` of the same function, in its place.
void agpu__async_call_as_func_call(MlirOperation call);

#endif // ASYNC_GPU_HOST_ASYNC_FUNCTIONS_H
