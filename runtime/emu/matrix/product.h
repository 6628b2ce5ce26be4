//===- product.h - D = A * B + C of a warp ---------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_PRODUCT_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_PRODUCT_H

#include <stdint.h>

/// Does what `mode` (async_gpu/compiled/native_matrix.h), of kind
/// AGPU_NATIVE_MMA or AGPU_NATIVE_WMMA, says with the registers of 32 lanes.
/// Returns -1, or a lane whose metadata no sparse matrix has.
int agpu__emu_product(uint32_t mode, char *const *lanes);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_PRODUCT_H
