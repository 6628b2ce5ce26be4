//===- float.c - Floating-point arithmetic -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Floating-Point Instructions" and "Half Precision Floating-Point
// Instructions": what is rounded by IEEE 754. The approximations stand in
// approximate.c.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <fenv.h>
#include <math.h>

enum { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };

static float compute_f32(int operation, volatile float a, volatile float b,
                         volatile float c) {
  switch (operation) {
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return a * b;
  case FMA: return fmaf(a, b, c);
  case DIV: return a / b;
  case RCP: return 1 / a;
  default: return sqrtf(a);
  }
}

static double compute_f64(int operation, volatile double a, volatile double b,
                          volatile double c) {
  switch (operation) {
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return a * b;
  case FMA: return fma(a, b, c);
  case DIV: return a / b;
  case RCP: return 1 / a;
  default: return sqrt(a);
  }
}

static uint64_t in_f32(const ptx_insn *i, const uint64_t *s) {
  float v[3];
  for (int k = 0; k < 3; ++k)
    v[k] = i->flags & PTX_FTZ ? ptx_flush(ptx_f32(s[k])) : ptx_f32(s[k]);
  int rounding = ptx_host_rounding(i->rounding);
  if (rounding != FE_TONEAREST)
    fesetround(rounding);
  volatile float result = compute_f32(i->mode, v[0], v[1], v[2]);
  if (rounding != FE_TONEAREST)
    fesetround(FE_TONEAREST);
  if (i->flags & PTX_FTZ)
    result = ptx_flush(result);
  if (i->flags & PTX_SAT) // to [0, 1]; NaN becomes 0
    result = !(result > 0) ? 0 : result > 1 ? 1 : result;
  return ptx_f32_result(result);
}

/// With operands of type2: the first, of fma the first two.
static uint64_t in_f32_mixed(const ptx_insn *i, const uint64_t *s) {
  uint64_t same[3] = {s[0], s[1], s[2]};
  for (int k = 0; k < (i->mode == FMA ? 2 : 1); ++k)
    same[k] = ptx_f32_bits((float)ptx_value(i->type2, s[k]));
  return in_f32(i, same);
}

static uint64_t in_f64(const ptx_insn *i, const uint64_t *s) {
  int rounding = ptx_host_rounding(i->rounding);
  if (rounding != FE_TONEAREST)
    fesetround(rounding);
  volatile double result =
      compute_f64(i->mode, ptx_f64(s[0]), ptx_f64(s[1]), ptx_f64(s[2]));
  if (rounding != FE_TONEAREST)
    fesetround(FE_TONEAREST);
  return ptx_f64_bits(result);
}

/// In doubles, rounded to odd: towards zero, with the last bit set where that
/// was not exact. Zeros get the sign that rounding to nearest gives.
static double to_odd(int operation, double a, double b, double c) {
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_ALL_EXCEPT);
  volatile double result = compute_f64(operation, a, b, c);
  bool is_exact = !fetestexcept(FE_INEXACT);
  fesetround(FE_TONEAREST);
  if (result == 0)
    return compute_f64(operation, a, b, c);
  if (is_exact || isnan(result) || isinf(result))
    return result;
  return ptx_f64(ptx_f64_bits(result) | 1);
}

static uint64_t in_half(const ptx_insn *i, ptx_type type, const uint64_t *s) {
  double exact = to_odd(i->mode, ptx_value(type, s[0]), ptx_value(type, s[1]),
                        ptx_value(type, s[2]));
  uint64_t bits = ptx_encode(type, exact, PTX_NEAREST);
  double value = ptx_value(type, bits);
  if (i->flags & PTX_FTZ && fabs(value) < 0x1p-14 && type == PTX_f16)
    return bits & 0x8000;
  if (i->flags & PTX_SAT)
    value = !(value > 0) ? 0 : value > 1 ? 1 : value;
  if (i->flags & PTX_RELU && value < 0)
    value = 0;
  return i->flags & (PTX_SAT | PTX_RELU) ? ptx_encode(type, value, PTX_NEAREST)
                                         : bits;
}

static uint64_t in_halves(const ptx_insn *i, const uint64_t *s) {
  ptx_type type = ptx_element_type(i->type);
  if (type == i->type)
    return in_half(i, type, s);
  uint64_t low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = s[k] & 0xffff;
    high[k] = s[k] >> 16 & 0xffff;
  }
  return in_half(i, type, low) | in_half(i, type, high) << 16;
}

uint64_t ptx_float_sum(ptx_type type, bool ftz, uint64_t a, uint64_t b) {
  ptx_insn sum = {.type = type, .mode = ADD, .flags = ftz ? PTX_FTZ : 0};
  uint64_t s[4] = {a, b};
  return type == PTX_f32   ? in_f32(&sum, s)
         : type == PTX_f64 ? in_f64(&sum, s)
                           : in_halves(&sum, s);
}

/// "If one of the inputs is NaN, the result is the other input"; with .NaN it
/// is the canonical NaN. +0 is greater than -0.
static uint64_t least_of(ptx_type type, uint32_t flags, bool is_max, uint64_t a,
                         uint64_t b) {
  double x = ptx_value(type, a), y = ptx_value(type, b);
  if (type == PTX_f32 && flags & PTX_FTZ) {
    x = (double)ptx_flush((float)x);
    y = (double)ptx_flush((float)y);
  }
  if (flags & PTX_ABS) {
    x = fabs(x);
    y = fabs(y);
  }
  double result;
  if (isnan(x) || isnan(y))
    result = flags & PTX_NAN ? (double)NAN : isnan(x) ? y : x;
  else if (x == y)
    result = (signbit(x) != 0) != is_max ? x : y;
  else
    result = (x < y) != is_max ? x : y;
  if (isnan(result) && type == PTX_f64)
    return 0x7ff8000000000000;
  return ptx_encode(type, result, PTX_NEAREST);
}

uint64_t ptx_float_least(ptx_type type, uint32_t flags, bool is_max, uint64_t a,
                         uint64_t b) {
  ptx_type element = ptx_element_type(type);
  if (element == type)
    return least_of(type, flags, is_max, a, b);
  return least_of(element, flags, is_max, a & 0xffff, b & 0xffff) |
         least_of(element, flags, is_max, a >> 16 & 0xffff, b >> 16 & 0xffff)
             << 16;
}

static uint64_t least(const ptx_insn *i, const uint64_t *s) {
  uint64_t result = ptx_float_least(i->type, i->flags, i->mode, s[0], s[1]);
  return i->source_count == 3
             ? ptx_float_least(i->type, i->flags, i->mode, result, s[2])
             : result;
}

static uint64_t sign_bits(ptx_type type) {
  return ptx_element_type(type) == type
             ? UINT64_C(1) << (ptx_type_bits(type) - 1)
             : 0x80008000;
}

static uint64_t flushed(const ptx_insn *i, uint64_t bits) {
  return i->type == PTX_f32 && i->flags & PTX_FTZ
             ? ptx_f32_bits(ptx_flush(ptx_f32(bits)))
             : bits;
}

static uint64_t absolute(const ptx_insn *i, const uint64_t *s) {
  return flushed(i, s[0]) & ~sign_bits(i->type);
}

static uint64_t negate(const ptx_insn *i, const uint64_t *s) {
  return flushed(i, s[0]) ^ sign_bits(i->type);
}

/// The sign of a, the magnitude of b.
static uint64_t copysign_of(const ptx_insn *i, const uint64_t *s) {
  uint64_t sign = sign_bits(i->type);
  return (s[0] & sign) | (s[1] & ~sign);
}

enum { FINITE, IS_INFINITE, NUMBER, NOT_A_NUMBER, NORMAL, SUBNORMAL };

static uint64_t testp(const ptx_insn *i, const uint64_t *s) {
  double value = ptx_value(i->type, s[0]);
  int class = i->type == PTX_f32 ? fpclassify((float)value) : fpclassify(value);
  switch (i->mode) {
  case FINITE: return isfinite(value) != 0;
  case IS_INFINITE: return class == FP_INFINITE;
  case NUMBER: return class != FP_NAN;
  case NOT_A_NUMBER: return class == FP_NAN;
  case NORMAL: return class == FP_NORMAL;
  default: return class == FP_SUBNORMAL;
  }
}

static bool select_testp(ptx_insn *insn) {
  static const char *const properties[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  for (uint8_t i = 0; i < sizeof properties / sizeof *properties; ++i)
    if (ptx_insn_has(insn, properties[i])) {
      insn->mode = i;
      return ptx_use(insn, testp, 1);
    }
  return false;
}

/// add, sub and fma of f32 and a smaller type.
static bool select_mixed(ptx_insn *insn, uint8_t mode, size_t count) {
  if (insn->type != PTX_f32 ||
      (insn->type2 != PTX_f16 && insn->type2 != PTX_bf16) ||
      (mode != ADD && mode != SUB && mode != FMA) || insn->flags & PTX_FTZ ||
      !ptx_use(insn, in_f32_mixed, count))
    return false;
  insn->source_types[0] = insn->type2;
  if (mode == FMA)
    insn->source_types[1] = insn->type2;
  return true;
}

bool ptx_select_float(ptx_insn *insn) {
  static const struct {
    const char *operation;
    uint8_t mode;
    size_t count;
  } operations[] = {{"add", ADD, 2}, {"sub", SUB, 2},  {"mul", MUL, 2},
                    {"fma", FMA, 3}, {"mad", FMA, 3},  {"div", DIV, 2},
                    {"rcp", RCP, 1}, {"sqrt", SQRT, 1}};
  if (!ptx_type_is_float(insn->type))
    return false;
  if (ptx_insn_is(insn, "testp"))
    return select_testp(insn);
  if (ptx_insn_is(insn, "abs"))
    return ptx_use(insn, absolute, 1);
  if (ptx_insn_is(insn, "neg"))
    return ptx_use(insn, negate, 1);
  if (ptx_insn_is(insn, "copysign"))
    return ptx_use(insn, copysign_of, 2);
  if (ptx_insn_is(insn, "min") || ptx_insn_is(insn, "max")) {
    insn->mode = ptx_insn_is(insn, "max");
    return ptx_use(insn, least, 2) || ptx_use(insn, least, 3);
  }
  ptx_compute *compute = insn->type == PTX_f32   ? in_f32
                         : insn->type == PTX_f64 ? in_f64
                                                 : in_halves;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
    if (ptx_insn_is(insn, operations[i].operation) &&
        !(insn->flags & PTX_APPROX)) {
      insn->mode = operations[i].mode;
      if (insn->type2)
        return select_mixed(insn, insn->mode, operations[i].count);
      return (insn->mode < DIV || compute != in_halves) &&
             ptx_use(insn, compute, operations[i].count);
    }
  return false;
}
