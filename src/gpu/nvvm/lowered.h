//===- lowered.h - Functions of a lowered gpu.module --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LOWERED_H
#define ASYNC_GPU_GPU_LOWERED_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True for a function that a host can launch (a lowered kernel).
bool agpu__nvvm_is_kernel(MlirOperation function);

#endif // ASYNC_GPU_GPU_LOWERED_H
