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

/// A lane whose registers have no meaning, and why: what it does, in words. -1:
/// there is none.
typedef struct agpu__emu_bad_lane {
  int lane;
  const char *why;
} agpu__emu_bad_lane;

/// Does what `mode` (async_gpu/compiled/native_matrix.h), of kind
/// AGPU_NATIVE_MMA or AGPU_NATIVE_WMMA, says with the registers of 32 lanes.
agpu__emu_bad_lane agpu__emu_product(uint32_t mode, char *const *lanes);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_PRODUCT_H
