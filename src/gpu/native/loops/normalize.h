//===- normalize.h - Blocks as loops over threads need them ----- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_NORMALIZE_H
#define ASYNC_GPU_GPU_SIMT_NORMALIZE_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if the function's waits are barriers for all threads, and its memory of
/// its own has a constant size.
bool agpu__simt_can_be_loops(MlirOperation function);

/// Makes only llvm.br hand on values, and barriers stand last before one.
void agpu__simt_normalize(MlirOperation function);

#endif // ASYNC_GPU_GPU_SIMT_NORMALIZE_H
