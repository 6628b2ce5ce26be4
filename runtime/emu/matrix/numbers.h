//===- numbers.h - Elements of matrices ------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats of floats that matrices have, to and from f32. Every value of
// each is one of f32.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_NUMBERS_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_NUMBERS_H

#include "async_gpu/compiled/native_matrix.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// What a GPU gives for NaN.
#define AGPU__EMU_NAN_F32 0x7fffffffu
#define AGPU__EMU_NAN_F16 0x7fffu

static inline float agpu__emu_f32(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t agpu__emu_f32_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The f16 with these bits. A product by a power of two puts the exponent right
/// of normal and subnormal numbers alike.
static inline float agpu__emu_from_f16(uint32_t half) {
  float size = agpu__emu_f32((half & 0x7fffu) << 13) * 0x1p112f;
  uint32_t special = 0x7f800000u | (half & 0x3ffu) << 13;
  uint32_t bits =
      (half & 0x7c00u) == 0x7c00u ? special : agpu__emu_f32_bits(size);
  return agpu__emu_f32(bits | (half & 0x8000u) << 16);
}

/// The nearest f16, of two as near the even one.
static inline uint32_t agpu__emu_to_f16(float value) {
  uint32_t bits = agpu__emu_f32_bits(value), size = bits & 0x7fffffffu;
  uint32_t sign = bits >> 16 & 0x8000u;
  if (size > 0x7f800000u)
    return AGPU__EMU_NAN_F16;
  if (size >= 0x477ff000u)
    return sign | 0x7c00u;
  // Below 2^-14 the sum has its last place where a subnormal f16 has.
  uint32_t small = agpu__emu_f32_bits(agpu__emu_f32(size) + 0.5f) - 0x3f000000u;
  uint32_t normal = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
  return sign | (size < 0x38800000u ? small : normal);
}

/// The nearest bf16, likewise.
static inline uint32_t agpu__emu_to_bf16(float value) {
  uint32_t bits = agpu__emu_f32_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return bits >> 16 | 0x40u;
  return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

/// `count` elements of a float type of at most 32 bits, one after the other,
/// those of less than 8 bits in bytes of their own. Of tf32 the lowest 13 bits
/// are nobody's.
void agpu__emu_decode_floats(agpu_native_element type, const void *from,
                             size_t count, float *out);

/// The same of e2m1, two in a byte, the first in its lower half.
void agpu__emu_decode_nibbles(const void *from, size_t count, float *out);

/// The same of an integer type.
void agpu__emu_decode_integers(agpu_native_element type, const void *from,
                               size_t count, int32_t *out);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_NUMBERS_H
