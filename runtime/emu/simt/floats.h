//===- floats.h - Floats of 16 bits and fewer -------------------- -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small floats as they lie in memory, and the floats of 32 bits that they stand
// for. All conversions to more bits are exact; those to fewer round to nearest,
// ties to even.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_SIMT_FLOATS_H
#define ASYNC_GPU_RUNTIME_EMU_SIMT_FLOATS_H

#include <stdint.h>
#include <string.h>

static inline float agpu__emu_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t agpu__emu_bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// A float with so many bits of exponent and mantissa, of which all ones in the
/// exponent are infinity and NaN.
static inline float agpu__emu_small_to_float(uint32_t bits, int exponent_bits,
                                             int mantissa_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  uint32_t sign = bits >> (exponent_bits + mantissa_bits) & 1;
  int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  if (exponent == (1 << exponent_bits) - 1)
    return agpu__emu_float_of(sign << 31 | 0x7f800000u |
                              mantissa << (23 - mantissa_bits));
  // Subnormal numbers are so many of the smallest one.
  float scale = agpu__emu_float_of(
      (uint32_t)(127 - bias + (exponent ? exponent : 1) - mantissa_bits) << 23);
  float value = (float)(mantissa | (uint32_t)(exponent != 0) << mantissa_bits);
  return sign ? -value * scale : value * scale;
}

static inline float agpu__emu_half_to_float(uint16_t bits) {
  return agpu__emu_small_to_float(bits, 5, 10);
}

static inline float agpu__emu_bfloat_to_float(uint16_t bits) {
  return agpu__emu_float_of((uint32_t)bits << 16);
}

static inline uint16_t agpu__emu_float_to_bfloat(float value) {
  uint32_t bits = agpu__emu_bits_of(value);
  if (value != value)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline uint16_t agpu__emu_float_to_half(float value) {
  uint32_t bits = agpu__emu_bits_of(value);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  uint32_t rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return (uint16_t)(sign | 0x7fff);
  if (rest >= 0x477ff000) // rounds to more than the largest
    return (uint16_t)(sign | 0x7c00);
  if (rest < 0x38800000) { // a subnormal: so many times 2^-24
    float scaled = agpu__emu_float_of(rest) * 16777216.0f;
    uint32_t whole = (uint32_t)scaled;
    float left = scaled - (float)whole;
    whole += left > 0.5f || (left == 0.5f && (whole & 1));
    return (uint16_t)(sign | whole);
  }
  rest += 0xfff + (rest >> 13 & 1);
  return (uint16_t)(sign | ((rest - 0x38000000) >> 13));
}

#endif // ASYNC_GPU_RUNTIME_EMU_SIMT_FLOATS_H
