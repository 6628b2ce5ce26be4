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

#include "lower/ir/build.h"

#include <stdbool.h>
#include <stdint.h>

/// True if `op` is an instruction on matrices of a warp that a host can do.
bool agpu__simt_is_matrix_op(MlirOperation op);

/// Builds a product by its mode (async_gpu/compiled/native_matrix.h) of
/// registers; stores `result_count` of the types.
void agpu__simt_build_product(agpu__builder *at, uint32_t mode,
                              const MlirValue *registers, size_t count,
                              const MlirType *types, size_t result_count,
                              MlirValue *out_results);

/// Replaces those in `gpu_module` by accesses of memory, and ops that all lanes
/// of a warp do together (agpu.collective).
void agpu__simt_expand_matrices(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_MATRICES_H
