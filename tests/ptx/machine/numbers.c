//===- numbers.c - Floating-point formats --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "machine/numbers.h"

#include <fenv.h>
#include <math.h>

/// What the highest exponent means.
typedef enum special { INFINITIES, ONE_NAN, NUMBERS } special;

typedef struct format {
  int exponent_bits, mantissa_bits;
  special top;
} format;

static format format_of(ptx_type type) {
  switch (type) {
  case PTX_f16: return (format){5, 10, INFINITIES};
  case PTX_bf16: return (format){8, 7, INFINITIES};
  case PTX_e4m3: return (format){4, 3, ONE_NAN};
  case PTX_e5m2: return (format){5, 2, INFINITIES};
  case PTX_e3m2: return (format){3, 2, NUMBERS};
  case PTX_e2m3: return (format){2, 3, NUMBERS};
  case PTX_e2m1: return (format){2, 1, NUMBERS};
  default: return (format){8, 10, INFINITIES}; // tf32, without its low bits
  }
}

uint64_t ptx_f32_result(float value) {
  return isnan(value) ? 0x7fffffff : ptx_f32_bits(value);
}

float ptx_flush(float value) {
  return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static double decode(format f, uint64_t bits) {
  int top = (1 << f.exponent_bits) - 1, bias = top >> 1;
  int exponent = (int)(bits >> f.mantissa_bits) & top;
  uint64_t mantissa = bits & ptx_mask((unsigned)f.mantissa_bits);
  double value;
  bool is_nan =
      f.top == INFINITIES ? exponent == top && mantissa
      : f.top == ONE_NAN
          ? exponent == top && mantissa == ptx_mask((unsigned)f.mantissa_bits)
          : false;
  if (is_nan)
    value = (double)NAN;
  else if (f.top == INFINITIES && exponent == top)
    value = (double)INFINITY;
  else if (exponent == 0)
    value = ldexp((double)mantissa, 1 - bias - f.mantissa_bits);
  else
    value = ldexp((double)(mantissa | UINT64_C(1) << f.mantissa_bits),
                  exponent - bias - f.mantissa_bits);
  return bits >> (f.exponent_bits + f.mantissa_bits) & 1 ? -value : value;
}

double ptx_value(ptx_type type, uint64_t bits) {
  if (type == PTX_f32)
    return (double)ptx_f32(bits);
  if (type == PTX_f64)
    return ptx_f64(bits);
  return decode(format_of(type), bits);
}

static bool rounds_up(ptx_rounding rounding, bool is_negative, bool is_odd,
                      double rest) {
  switch (rounding) {
  case PTX_TO_ZERO: return false;
  case PTX_DOWN: return is_negative && rest > 0;
  case PTX_UP: return !is_negative && rest > 0;
  case PTX_NEAREST_AWAY: return rest >= 0.5;
  default: return rest > 0.5 || (rest == 0.5 && is_odd);
  }
}

static uint64_t encode(format f, double value, ptx_rounding rounding) {
  bool is_negative = signbit(value);
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  uint64_t sign = (uint64_t)is_negative << (f.exponent_bits + f.mantissa_bits);
  uint64_t infinity = ptx_mask((unsigned)f.exponent_bits) << f.mantissa_bits;
  if (isnan(value))
    return ptx_mask((unsigned)(f.exponent_bits + f.mantissa_bits));
  value = fabs(value);
  if (isinf(value) || value == 0)
    return sign | (value == 0 ? 0 : infinity);
  int exponent = ilogb(value) < 1 - bias ? 1 - bias : ilogb(value);
  double scaled = ldexp(value, f.mantissa_bits - exponent); // exact
  double whole = floor(scaled);
  uint64_t mantissa = (uint64_t)whole;
  mantissa += rounds_up(rounding, is_negative, mantissa & 1, scaled - whole);
  if (mantissa >> (f.mantissa_bits + 1)) {
    mantissa >>= 1;
    ++exponent;
  }
  if (exponent > bias) {
    bool stays_finite = rounding == PTX_TO_ZERO ||
                        (rounding == PTX_DOWN && !is_negative) ||
                        (rounding == PTX_UP && is_negative);
    return sign | (infinity - stays_finite);
  }
  // A subnormal has the exponent 0 and no hidden one.
  uint64_t hidden = UINT64_C(1) << f.mantissa_bits;
  return sign |
         (mantissa < hidden ? mantissa
                            : ((uint64_t)(exponent + bias) << f.mantissa_bits |
                               (mantissa - hidden)));
}

uint64_t ptx_encode(ptx_type type, double value, ptx_rounding rounding) {
  if (type == PTX_f64)
    return ptx_f64_bits(value);
  if (type == PTX_f32) {
    fesetround(ptx_host_rounding(rounding));
    volatile double source = value;
    volatile float result = (float)source;
    fesetround(FE_TONEAREST);
    return ptx_f32_result(result);
  }
  uint64_t bits = encode(format_of(type), value, rounding);
  return type == PTX_tf32 ? bits << 13 : bits;
}

ptx_type ptx_element_type(ptx_type type) {
  return type == PTX_f16x2 ? PTX_f16 : type == PTX_bf16x2 ? PTX_bf16 : type;
}

int ptx_host_rounding(ptx_rounding rounding) {
  switch (rounding) {
  case PTX_TO_ZERO: return FE_TOWARDZERO;
  case PTX_DOWN: return FE_DOWNWARD;
  case PTX_UP: return FE_UPWARD;
  default: return FE_TONEAREST;
  }
}
