//===- quads.h - Products of eight lanes each ------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_QUADS_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_QUADS_H

#include <stdint.h>

/// Does mma of f16 in the shape m8n8k4, by its mode
/// (async_gpu/compiled/native_matrix.h), with the registers of 32 lanes.
void agpu__emu_product_quads(uint32_t mode, char *const *lanes);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_QUADS_H
