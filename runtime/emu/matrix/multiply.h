//===- multiply.h - Dense products ------------------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C += A * B on arrays of the host: A of m rows of k, B of k rows of n, C of m
// rows of n elements, one after the other. n is 8, 16 or 32.
//
// The PTX ISA wants products of floats in single precision at least, and leaves
// the order of sums, and how each is rounded, to the device. Here products are
// exact, as their factors have 12 bits at most, and sums go from the first
// element of a row to the last, each rounded to the nearest f32. So an element
// of the result is off by k * 2^-24 of the sum of the sizes of all that is
// added, C's element included, and an f16 by half of its last place more. A
// device that rounds toward zero, as cards do, stays below twice that.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_MULTIPLY_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_MULTIPLY_H

#include <stdint.h>

void agpu__emu_multiply_f32(const float *a, const float *b, float *c,
                            uint32_t m, uint32_t n, uint32_t k);

/// Wraps around. The sums of one row times one column have to fit without C.
void agpu__emu_multiply_s32(const int32_t *a, const int32_t *b, int32_t *c,
                            uint32_t m, uint32_t n, uint32_t k);

/// Each step is a fused multiplication and addition, rounded to nearest.
void agpu__emu_multiply_f64(const double *a, const double *b, double *c,
                            uint32_t m, uint32_t n, uint32_t k);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_MULTIPLY_H
