//===- conversions.h - Floats of 8, 6 and 4 bits, on a host ----- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CONVERSIONS_H
#define ASYNC_GPU_GPU_CONVERSIONS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if `op` converts to or from such floats, and a host can do it.
bool agpu__simt_is_conversion(MlirOperation op);
void agpu__simt_expand_conversion(MlirOperation op);

#endif // ASYNC_GPU_GPU_CONVERSIONS_H
