//===- numbers.h - Floating-point formats --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of the narrow formats as doubles and back, with every rounding; f32
// and f64 are the host's. Doubles hold each value of the narrow ones, so that a
// result is rounded once where it was rounded to odd before (Boldo, Melquiond:
// "When double rounding is odd").
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_NUMBERS_H
#define ASYNC_GPU_TESTS_PTX_NUMBERS_H

#include "text/module.h"

#include <string.h>

static inline float ptx_f32(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  return value;
}

static inline double ptx_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t ptx_f32_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t ptx_f64_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// As a result: .f32 operations give the canonical NaN 0x7fffffff.
uint64_t ptx_f32_result(float value);
/// Subnormals become zeros of their sign.
float ptx_flush(float value);

/// A value of f16, bf16, f32 or f64 as a double.
double ptx_value(ptx_type type, uint64_t bits);
/// A double as a value of a type, rounded. NaNs are canonical.
uint64_t ptx_encode(ptx_type type, double value, ptx_rounding rounding);
/// One of the two values of a packed type: f16 of f16x2.
ptx_type ptx_element_type(ptx_type type);
/// The rounding of the host's arithmetic.
int ptx_host_rounding(ptx_rounding rounding);

#endif // ASYNC_GPU_TESTS_PTX_NUMBERS_H
