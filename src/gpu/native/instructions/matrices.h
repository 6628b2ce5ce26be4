//===- matrices.h - Matrices of a warp, on a host --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MATRICES_H
#define ASYNC_GPU_GPU_MATRICES_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if `op` is an instruction on matrices of a warp that a host can do.
bool agpu__simt_is_matrix_op(MlirOperation op);

/// Replaces those in `gpu_module` by accesses of memory, and ops that all lanes
/// of a warp do together (agpu.collective).
void agpu__simt_expand_matrices(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_MATRICES_H
