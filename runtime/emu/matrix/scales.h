//===- scales.h - Scales for blocks of matrices ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_SCALES_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_SCALES_H

#include "emu/matrix/product.h"

#include <stddef.h>

enum { AGPU__EMU_MOST_SCALES = 4 };

/// Of each row of A and each column of B: as many as there are blocks.
typedef struct agpu__emu_scales {
  double a[16][AGPU__EMU_MOST_SCALES], b[8][AGPU__EMU_MOST_SCALES];
} agpu__emu_scales;

/// Takes the scales of a product with these properties from six registers of
/// each lane, `offset` bytes after its first: the scales of A, the byte and
/// the thread that they are in, and the same of B.
agpu__emu_bad_lane agpu__emu_take_scales(char *const *lanes, size_t offset,
                                         uint32_t properties,
                                         agpu__emu_scales *out);

/// c += a * b, of m rows of k, k rows of n, and m rows of n elements, whose
/// blocks are scaled. Sums are made in f64, and rounded once.
void agpu__emu_multiply_scaled(const float *a, const float *b, float *c,
                               uint32_t m, uint32_t n, uint32_t k,
                               uint32_t blocks, const agpu__emu_scales *scales);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_SCALES_H
