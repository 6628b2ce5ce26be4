//===- halves.h - Products of floats of 16 bits, fast ----------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_HALVES_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_HALVES_H

#include <stdbool.h>
#include <stdint.h>

/// Does mma of f16 or bf16 with sums of f32, in 16 rows, as agpu__emu_product
/// would, to the bit. False, and nothing is done, where `mode` is of another
/// product, or the processor has no instructions for it.
bool agpu__emu_product_halves(uint32_t mode, char *const *lanes);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_HALVES_H
