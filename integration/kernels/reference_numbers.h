//===- reference_numbers.h - Numbers of matrices ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the references beside this file share: the numbers that bits are, and
// how programs pass them memory.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_INTEGRATION_REFERENCE_NUMBERS_H
#define ASYNC_GPU_INTEGRATION_REFERENCE_NUMBERS_H

#include "matrix_reference.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
  unsigned bits, exponent, mantissa, shift;
  int is_signed; ///< of integers; -1: a float
  bool has_infinity;
} types[] = {
    [REFERENCE_F16] = {16, 5, 10, 0, -1, true},
    [REFERENCE_BF16] = {16, 8, 7, 0, -1, true},
    [REFERENCE_TF32] = {32, 8, 10, 13, -1, true},
    [REFERENCE_F32] = {32, 8, 23, 0, -1, true},
    [REFERENCE_S32] = {32, 0, 0, 0, 1, false},
    [REFERENCE_S8] = {8, 0, 0, 0, 1, false},
    [REFERENCE_U8] = {8, 0, 0, 0, 0, false},
    [REFERENCE_S4] = {4, 0, 0, 0, 1, false},
    [REFERENCE_U4] = {4, 0, 0, 0, 0, false},
    [REFERENCE_E4M3] = {8, 4, 3, 0, -1, false},
    [REFERENCE_E5M2] = {8, 5, 2, 0, -1, true},
    [REFERENCE_E3M2] = {8, 3, 2, 0, -1, false},
    [REFERENCE_E2M3] = {8, 2, 3, 0, -1, false},
    [REFERENCE_E2M1] = {8, 2, 1, 2, -1, false},
    [REFERENCE_NIBBLE] = {4, 2, 1, 0, -1, false},
};

/// The number that has these bits.
static inline double value_of(reference_type type, uint32_t bits) {
  unsigned width = types[type].bits;
  if (types[type].is_signed >= 0) {
    int64_t value = (int64_t)bits;
    if (types[type].is_signed && bits >> (width - 1) & 1)
      value -= INT64_C(1) << width;
    return (double)value;
  }
  unsigned places = types[type].mantissa, top = 1u << types[type].exponent;
  bits >>= types[type].shift;
  uint32_t fraction = bits & ((1u << places) - 1);
  uint32_t exponent = bits >> places & (top - 1);
  bool negative = bits >> places >> types[type].exponent & 1;
  int bias = (int)top / 2 - 1;
  double size = exponent ? ldexp(1.0 + ldexp(fraction, -(int)places),
                                 (int)exponent - bias)
                         : ldexp(fraction, 1 - bias - (int)places);
  if (types[type].has_infinity && exponent == top - 1)
    size = fraction ? NAN : INFINITY;
  if (type == REFERENCE_E4M3 && exponent == 15 && fraction == 7)
    size = NAN;
  return negative ? -size : size;
}

static inline uint32_t draw(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(*random >> 33);
}

/// The bits of a number that a float type has; others, of another one.
static inline uint32_t bits_of(reference_type type, double value) {
  unsigned places = types[type].mantissa;
  int bias = (1 << (types[type].exponent - 1)) - 1;
  double size = fabs(value);
  int exponent = size > 0 ? ilogb(size) : -bias;
  if (exponent < 1 - bias)
    exponent = -bias; // subnormal
  int lowest = (exponent < 1 - bias ? 1 - bias : exponent) - (int)places;
  uint32_t fraction = (uint32_t)ldexp(size, -lowest);
  uint32_t bits = ((uint32_t)(exponent + bias) << places) |
                  (fraction & ((1u << places) - 1));
  return (bits | (uint32_t)(value < 0) << places << types[type].exponent)
         << types[type].shift;
}

/// Any integer; or a multiple of a quarter that the type has, no larger than
/// `most`.
static inline uint32_t encode(reference_type type, uint64_t *random,
                              unsigned most) {
  if (types[type].is_signed >= 0) {
    uint32_t bits = draw(random) << 1 ^ draw(random);
    return types[type].bits < 32 ? bits & ((1u << types[type].bits) - 1) : bits;
  }
  for (;;) {
    double value = ((int)(draw(random) % (8 * most + 1)) - 4 * (int)most) / 4.0;
    uint32_t bits = bits_of(type, value);
    if (value_of(type, bits) == value)
      return bits;
  }
}

/// Element `i` of a word of elements of so many bits.
static inline uint32_t cut(uint32_t word, unsigned bits, unsigned i) {
  word >>= i * bits;
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

/// A memref as functions get it.
#define MEMREF(name)                                                           \
  void *name##_allocated, uint32_t *name, int64_t name##_offset,               \
      int64_t name##_size, int64_t name##_stride
#define UNUSED(name)                                                           \
  ((void)name##_allocated, (void)name##_offset, (void)name##_size,             \
   (void)name##_stride)

#define EXPORT __attribute__((visibility("default")))

#endif // ASYNC_GPU_INTEGRATION_REFERENCE_NUMBERS_H
