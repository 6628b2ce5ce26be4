//===- convert.c - Conversions -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: cvt".
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <fenv.h>
#include <math.h>

__extension__ typedef __int128 wide_signed;

/// A result of an integer type extends to a wider register by its sign.
static uint64_t extended(ptx_type type, uint64_t value) {
  unsigned bits = ptx_type_bits(type);
  return ptx_type_is_signed(type) ? (uint64_t)ptx_signed(value, bits)
                                  : value & ptx_mask(bits);
}

static uint64_t integer_to_integer(const ptx_insn *i, const uint64_t *s) {
  ptx_type to = i->type, from = i->type2;
  unsigned bits = ptx_type_bits(to);
  uint64_t value = extended(from, s[0]);
  if (i->flags & PTX_SAT) {
    wide_signed v = ptx_type_is_signed(from) ? (wide_signed)(int64_t)value
                                             : (wide_signed)value;
    bool is_signed = ptx_type_is_signed(to);
    wide_signed most = (wide_signed)ptx_mask(is_signed ? bits - 1 : bits);
    wide_signed least = is_signed ? -most - 1 : 0;
    value = (uint64_t)(v < least ? least : v > most ? most : v);
  }
  return extended(to, value);
}

/// An integer as a double, rounded to odd.
static double odd_double(ptx_type from, uint64_t value) {
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_INEXACT);
  volatile int64_t negative = (int64_t)value;
  volatile uint64_t positive = value;
  volatile double result =
      ptx_type_is_signed(from) ? (double)negative : (double)positive;
  bool is_exact = !fetestexcept(FE_INEXACT);
  fesetround(FE_TONEAREST);
  return is_exact ? result : ptx_f64(ptx_f64_bits(result) | 1);
}

static uint64_t integer_to_float(const ptx_insn *i, const uint64_t *s) {
  uint64_t value = extended(i->type2, s[0]);
  if (i->type != PTX_f64)
    return ptx_encode(i->type, odd_double(i->type2, value), i->rounding);
  fesetround(ptx_host_rounding(i->rounding));
  volatile int64_t negative = (int64_t)value;
  volatile uint64_t positive = value;
  volatile double result =
      ptx_type_is_signed(i->type2) ? (double)negative : (double)positive;
  fesetround(FE_TONEAREST);
  return ptx_f64_bits(result);
}

static double to_whole(double value, ptx_rounding rounding) {
  switch (rounding) {
  case PTX_TO_ZERO: return trunc(value);
  case PTX_DOWN: return floor(value);
  case PTX_UP: return ceil(value);
  default: return rint(value);
  }
}

static double source_value(const ptx_insn *i, uint64_t bits) {
  double value = ptx_value(i->type2, bits);
  if (i->type2 == PTX_f32 && i->flags & PTX_FTZ)
    value = (double)ptx_flush((float)value);
  return value;
}

/// "The result is clamped to the destination range by default." "NaN results in
/// 0 for source .f32 (and narrower), and 0x8000000000000000 for .f64 or 64
/// bits."
static uint64_t float_to_integer(const ptx_insn *i, const uint64_t *s) {
  double value = source_value(i, s[0]);
  unsigned bits = ptx_type_bits(i->type);
  bool is_signed = ptx_type_is_signed(i->type);
  if (isnan(value))
    return bits == 64 || i->type2 == PTX_f64 ? UINT64_C(1) << (bits - 1) : 0;
  double whole = to_whole(value, i->rounding);
  double above = ldexp(1, (int)bits - is_signed);
  if (whole >= above)
    return extended(i->type, ptx_mask(bits - is_signed));
  if (whole <= (is_signed ? -above : 0))
    return extended(i->type, is_signed ? UINT64_C(1) << (bits - 1) : 0);
  return extended(i->type,
                  is_signed ? (uint64_t)(int64_t)whole : (uint64_t)whole);
}

static uint64_t float_to_float(const ptx_insn *i, const uint64_t *s) {
  double value = source_value(i, s[0]);
  ptx_rounding rounding = i->rounding;
  if (i->has_integer_rounding) {
    value = to_whole(value, rounding);
    rounding = PTX_NEAREST;
  }
  if (isnan(value) && i->type == PTX_f64 && i->type2 != PTX_f64)
    value = ptx_f64(0x7ff8000000000000);
  if (i->flags & PTX_SAT && i->type != PTX_tf32)
    value = !(value > 0) ? 0 : value > 1 ? 1 : value;
  if (i->flags & PTX_RELU && !(value > 0) && !isnan(value))
    value = 0;
  uint64_t bits = ptx_encode(i->type, value, rounding);
  if (i->type == PTX_f32 && i->flags & PTX_FTZ)
    bits = ptx_f32_bits(ptx_flush(ptx_f32(bits)));
  return bits;
}

/// cvt.f16x2.f32 d, a, b: a is the upper half.
static uint64_t floats_to_pair(const ptx_insn *i, const uint64_t *s) {
  ptx_type type = ptx_element_type(i->type);
  double high = ptx_value(PTX_f32, s[0]), low = ptx_value(PTX_f32, s[1]);
  if (i->flags & PTX_RELU) {
    high = high < 0 ? 0 : high;
    low = low < 0 ? 0 : low;
  }
  return ptx_encode(type, high, i->rounding) << 16 |
         ptx_encode(type, low, i->rounding);
}

bool ptx_select_convert(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "cvt") || !insn->type || !insn->type2 || insn->type3)
    return false;
  bool to_float = ptx_type_is_float(insn->type);
  bool from_float = ptx_type_is_float(insn->type2);
  size_t count = ptx_element_type(insn->type) == insn->type ? 1 : 2;
  if (count == 2 && insn->type2 != PTX_f32)
    return false;
  if (from_float && ptx_element_type(insn->type2) != insn->type2)
    return false;
  if (from_float != to_float && !insn->rounding)
    return false; // the manual requires one
  if (!ptx_use(insn,
               count == 2               ? floats_to_pair
               : to_float && from_float ? float_to_float
               : to_float               ? integer_to_float
               : from_float             ? float_to_integer
                                        : integer_to_integer,
               count))
    return false;
  insn->source_types[0] = insn->source_types[1] = insn->type2;
  return true;
}
