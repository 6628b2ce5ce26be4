//===- small_arith_reference.c - The nearest small float ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What small_arith.mlir calls: numbers around all those of five small formats,
// and which of them is the nearest, by looking at all.
//
//===----------------------------------------------------------------------===//

#include "reference_numbers.h"

/// In the program's order. `most`: the code of the largest number; `over`: of
/// what is larger; `nan`: of NaN, and of infinity where that is not `over`.
static const struct small {
  int exponent, mantissa;
  uint32_t most, over, nan;
} formats[] = {{4, 3, 0x7e, 0x7f, 0x7f},
               {5, 2, 0x7b, 0x7c, 0x7f},
               {2, 3, 0x1f, 0x1f, 0x1f},
               {3, 2, 0x1f, 0x1f, 0x1f},
               {2, 1, 0x07, 0x07, 0x07}};
enum { FORMATS = 5, COLUMNS = 4 };

/// The number of a code without a sign, as if there were no special ones.
static double number_of(const struct small *of, uint32_t code) {
  int bias = (1 << (of->exponent - 1)) - 1;
  int exponent = (int)(code >> of->mantissa);
  double fraction = ldexp(code & ((1u << of->mantissa) - 1), -of->mantissa);
  return exponent ? ldexp(1 + fraction, exponent - bias)
                  : ldexp(fraction, 1 - bias);
}

static uint32_t nearest(const struct small *of, double value) {
  double size = fabs(value);
  if (isnan(value))
    return of->nan;
  uint32_t sign = (uint32_t)(signbit(value) != 0)
                  << (of->exponent + of->mantissa);
  uint32_t best = 0;
  for (uint32_t code = 1; code <= of->most + 1; ++code) {
    double here = fabs(size - number_of(of, code));
    double there = fabs(size - number_of(of, best));
    if (here < there || (here == there && code % 2 == 0))
      best = code;
  }
  bool is_over = best > of->most || size > number_of(of, of->most + 1);
  return sign | (is_over ? of->over : best);
}

static double value_of_code(const struct small *of, uint32_t code) {
  uint32_t size = code & ((1u << (of->exponent + of->mantissa)) - 1);
  bool is_negative = code >> (of->exponent + of->mantissa) & 1;
  double value = size <= of->most                          ? number_of(of, size)
                 : size == of->over && of->over != of->nan ? (double)INFINITY
                                                           : (double)NAN;
  return is_negative ? -value : value;
}

#define MEMREF_OF(type, name)                                                  \
  void *name##_allocated, type *name, int64_t name##_offset,                   \
      int64_t name##_size, int64_t name##_stride

EXPORT void small_fill(MEMREF_OF(float, x), MEMREF_OF(double, y));
EXPORT int32_t small_check(MEMREF_OF(float, x), MEMREF_OF(double, y),
                           MEMREF(results));

/// Around each number, and each that lies between two, the next floats; then
/// any.
void small_fill(MEMREF_OF(float, x), MEMREF_OF(double, y)) {
  uint64_t random = 11;
  int64_t count = 0;
  UNUSED(x);
  UNUSED(y);
  for (size_t f = 0; f < FORMATS; ++f)
    for (uint32_t code = 0; code <= formats[f].most; ++code)
      for (int step = 0; step < 2; ++step) {
        double value = (number_of(&formats[f], code) +
                        number_of(&formats[f], code + (uint32_t)step)) /
                       2;
        for (int side = -1; side <= 1; ++side, ++count) {
          double to = side * (double)INFINITY;
          x[count] = side ? nextafterf((float)value, (float)to) : (float)value;
          y[count] = side ? nextafter(value, to) : value;
          if (code % 3 == 1) {
            x[count] = -x[count];
            y[count] = -y[count];
          }
        }
      }
  static const float special[] = {NAN, -NAN, INFINITY, -INFINITY, -0.0f, 1e30f};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i, ++count) {
    x[count] = special[i];
    y[count] = special[i];
  }
  for (; count < x_size; ++count) {
    uint32_t bits = draw(&random) << 1 ^ draw(&random);
    memcpy(&x[count], &bits, sizeof bits);
    x[count] = ldexpf(x[count], (int)(draw(&random) % 3) - 1);
    y[count] = (double)x[count] * (1 + ldexp(1, -30));
  }
}

static bool is_same(double is, double wanted) {
  return isnan(is) ? isnan(wanted)
                   : is == wanted && !signbit(is) == !signbit(wanted);
}

/// Of each format: the code from f32 and from f64; the first as f32 and as f16.
int32_t small_check(MEMREF_OF(float, x), MEMREF_OF(double, y),
                    MEMREF(results)) {
  int32_t wrong = 0;
  UNUSED(x);
  UNUSED(y);
  UNUSED(results);
  for (int64_t i = 0; i < x_size; ++i)
    for (size_t f = 0; f < FORMATS; ++f, results += COLUMNS) {
      uint32_t code = nearest(&formats[f], x[i]);
      double back = value_of_code(&formats[f], code);
      wrong += results[0] != code || results[1] != nearest(&formats[f], y[i]) ||
               !is_same(value_of(REFERENCE_F32, results[2]), back) ||
               !is_same(value_of(REFERENCE_F16, results[3]), back);
    }
  return wrong;
}
