//===- bfloat_numbers.c - Operations on the bits of bf16 ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation is computed in a wider type and rounded once, to nearest, ties
// to even, as integers; lanes of vectors like scalars.
//
// A result may pass through a type in between if it is rounded to odd there:
// what is not exact gets a last bit of 1, which says to the next rounding that
// there was more. Two bits more than bf16 has are enough for that. Addition,
// multiplication, division and square roots need no such care in f32: it has
// more than twice the bits of bf16, plus two.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <stdlib.h>

typedef agpu__bfloat_builder builder;

#define SIGN 0x8000u
#define FRACTION_BITS_F32 24u
#define FRACTION_BITS_F64 53u
#define BIAS_F64 1023u
/// The widest integer whose powers of two are all numbers of f64.
#define WIDEST_INTEGER 1024u

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

static LLVMTypeRef element_of(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type)
                                                     : type;
}

LLVMTypeRef agpu__bfloat_lanes(LLVMTypeRef like, LLVMTypeRef element) {
  return LLVMGetTypeKind(like) == LLVMVectorTypeKind
             ? LLVMVectorType(element, LLVMGetVectorSize(like))
             : element;
}

bool agpu__is_bfloat(LLVMTypeRef type) {
  return LLVMGetTypeKind(element_of(type)) == LLVMBFloatTypeKind;
}

LLVMTypeRef agpu__bfloat_bits_type(const builder *b, LLVMTypeRef type) {
  return agpu__bfloat_lanes(type, LLVMInt16TypeInContext(b->context));
}

LLVMValueRef agpu__bfloat_bits(const builder *b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return agpu__is_bfloat(type)
             ? LLVMBuildBitCast(b->at, value, agpu__bfloat_bits_type(b, type),
                                "")
             : value;
}

LLVMValueRef agpu__bfloat_operand(const builder *b, LLVMValueRef op,
                                  unsigned i) {
  return agpu__bfloat_bits(b, LLVMGetOperand(op, i));
}

LLVMValueRef agpu__bfloat_extended(const builder *b, LLVMValueRef value,
                                   LLVMTypeRef element) {
  return agpu__is_bfloat(LLVMTypeOf(value))
             ? agpu__bfloat_extend(b, agpu__bfloat_bits(b, value), element)
             : value;
}

/// Integers of `width` bits, as many as `value` has lanes.
static LLVMTypeRef integers(const builder *b, LLVMValueRef value,
                            unsigned width) {
  return agpu__bfloat_lanes(LLVMTypeOf(value),
                            LLVMIntTypeInContext(b->context, width));
}

static LLVMTypeRef f32s(const builder *b, LLVMValueRef value) {
  return agpu__bfloat_lanes(LLVMTypeOf(value),
                            LLVMFloatTypeInContext(b->context));
}

static LLVMTypeRef f64s(const builder *b, LLVMValueRef value) {
  return agpu__bfloat_lanes(LLVMTypeOf(value),
                            LLVMDoubleTypeInContext(b->context));
}

LLVMValueRef agpu__bfloat_number(LLVMTypeRef type, uint64_t value) {
  LLVMValueRef one = LLVMConstInt(element_of(type), value, 0);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return one;
  unsigned count = LLVMGetVectorSize(type);
  AGPU__OWNED LLVMValueRef *all = agpu__allocate(count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < count; ++i)
    all[i] = one;
  return LLVMConstVector(all, count);
}

LLVMValueRef agpu__bfloat_call(const builder *b, const char *name,
                               LLVMTypeRef *types, size_t type_count,
                               LLVMValueRef *arguments, unsigned count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef callee =
      LLVMGetIntrinsicDeclaration(b->ir, id, types, type_count);
  return LLVMBuildCall2(b->at, LLVMGlobalGetValueType(callee), callee,
                        arguments, count, "");
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

LLVMValueRef agpu__bfloat_extend(const builder *b, LLVMValueRef bits,
                                 LLVMTypeRef element) {
  LLVMTypeRef type = integers(b, bits, 32);
  LLVMValueRef value = LLVMBuildZExt(b->at, bits, type, "");
  value = LLVMBuildShl(b->at, value, agpu__bfloat_number(type, 16), "");
  value = LLVMBuildBitCast(b->at, value, f32s(b, bits), "");
  if (LLVMGetTypeKind(element) == LLVMFloatTypeKind)
    return value;
  return LLVMBuildFPExt(b->at, value,
                        agpu__bfloat_lanes(LLVMTypeOf(bits), element), "");
}

static LLVMValueRef round_f32(const builder *b, LLVMValueRef value) {
  LLVMTypeRef type = integers(b, value, 32);
  LLVMValueRef bits = LLVMBuildBitCast(b->at, value, type, "");
  LLVMValueRef high =
      LLVMBuildLShr(b->at, bits, agpu__bfloat_number(type, 16), "");
  LLVMValueRef odd =
      LLVMBuildAnd(b->at, high, agpu__bfloat_number(type, 1), "");
  LLVMValueRef sum =
      LLVMBuildAdd(b->at, bits, agpu__bfloat_number(type, 0x7fff), "");
  sum = LLVMBuildAdd(b->at, sum, odd, "");
  LLVMValueRef rounded =
      LLVMBuildLShr(b->at, sum, agpu__bfloat_number(type, 16), "");
  // One that is not a number stays one, even if all of its lower bits go.
  LLVMValueRef quiet =
      LLVMBuildOr(b->at, high, agpu__bfloat_number(type, 0x40), "");
  LLVMValueRef is_nan = LLVMBuildFCmp(b->at, LLVMRealUNO, value, value, "");
  rounded = LLVMBuildSelect(b->at, is_nan, quiet, rounded, "");
  return LLVMBuildTrunc(b->at, rounded, integers(b, value, 16), "");
}

/// `value`, a nearest number of `width` bits that is not exact where `inexact`
/// says so, rounded to odd instead. `more` says whether the exact one is
/// farther from zero.
static LLVMValueRef make_odd(const builder *b, LLVMValueRef value,
                             unsigned width, LLVMValueRef inexact,
                             LLVMValueRef more) {
  LLVMTypeRef type = integers(b, value, width);
  LLVMValueRef bits = LLVMBuildBitCast(b->at, value, type, "");
  LLVMValueRef last =
      LLVMBuildAnd(b->at, bits, agpu__bfloat_number(type, 1), "");
  LLVMValueRef even =
      LLVMBuildICmp(b->at, LLVMIntEQ, last, agpu__bfloat_number(type, 0), "");
  LLVMValueRef moves = LLVMBuildAnd(b->at, inexact, even, "");
  LLVMValueRef by = LLVMBuildSelect(b->at, more, agpu__bfloat_number(type, 1),
                                    agpu__bfloat_number(type, UINT64_MAX), "");
  LLVMValueRef moved = LLVMBuildAdd(b->at, bits, by, "");
  bits = LLVMBuildSelect(b->at, moves, moved, bits, "");
  return LLVMBuildBitCast(b->at, bits, LLVMTypeOf(value), "");
}

static LLVMValueRef magnitude(const builder *b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return agpu__bfloat_call(b, "llvm.fabs", &type, 1, &value, 1);
}

/// `value` as `type`, which is narrower, of `width` bits; rounded to odd.
static LLVMValueRef narrow_to_odd(const builder *b, LLVMValueRef value,
                                  LLVMTypeRef type, unsigned width) {
  LLVMValueRef narrow = LLVMBuildFPTrunc(b->at, value, type, "");
  LLVMValueRef back = LLVMBuildFPExt(b->at, narrow, LLVMTypeOf(value), "");
  LLVMValueRef inexact = LLVMBuildFCmp(b->at, LLVMRealONE, back, value, "");
  LLVMValueRef rounded = magnitude(b, back);
  LLVMValueRef more =
      LLVMBuildFCmp(b->at, LLVMRealOGT, magnitude(b, value), rounded, "");
  return make_odd(b, narrow, width, inexact, more);
}

LLVMValueRef agpu__bfloat_round(const builder *b, LLVMValueRef value) {
  LLVMTypeKind kind = LLVMGetTypeKind(element_of(LLVMTypeOf(value)));
  if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
    value = narrow_to_odd(b, value, f64s(b, value), 64);
  if (kind != LLVMFloatTypeKind)
    value = narrow_to_odd(b, value, f32s(b, value), 32);
  return round_f32(b, value);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// 2 to the power of each lane of `exponent`, in f64.
static LLVMValueRef power_of_two(const builder *b, LLVMValueRef exponent) {
  LLVMTypeRef type = integers(b, exponent, 64);
  LLVMValueRef bits = LLVMBuildIntCast2(b->at, exponent, type, 0, "");
  bits = LLVMBuildAdd(b->at, bits, agpu__bfloat_number(type, BIAS_F64), "");
  bits = LLVMBuildShl(b->at, bits,
                      agpu__bfloat_number(type, FRACTION_BITS_F64 - 1), "");
  return LLVMBuildBitCast(b->at, bits, f64s(b, exponent), "");
}

/// `value`, without a sign, of more bits than f64 has: its highest ones, the
/// last of them set where one that is cut off is, times a power of two.
static LLVMValueRef wide_to_odd(const builder *b, LLVMValueRef value,
                                unsigned width) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef zero = agpu__bfloat_number(type, 0);
  LLVMValueRef one = agpu__bfloat_number(type, 1);
  LLVMTypeRef flag = LLVMInt1TypeInContext(b->context);
  LLVMValueRef zeros[] = {value, LLVMConstInt(flag, 0, 0)};
  LLVMValueRef counts[] = {
      agpu__bfloat_number(type, width - FRACTION_BITS_F64),
      agpu__bfloat_call(b, "llvm.ctlz", &type, 1, zeros, 2)};
  LLVMValueRef shift =
      agpu__bfloat_call(b, "llvm.usub.sat", &type, 1, counts, 2);
  LLVMValueRef mask =
      LLVMBuildSub(b->at, LLVMBuildShl(b->at, one, shift, ""), one, "");
  LLVMValueRef cut = LLVMBuildAnd(b->at, value, mask, "");
  cut = LLVMBuildICmp(b->at, LLVMIntNE, cut, zero, "");
  value = LLVMBuildLShr(b->at, value, shift, "");
  value = LLVMBuildOr(b->at, value, LLVMBuildZExt(b->at, cut, type, ""), "");
  value = LLVMBuildIntCast2(b->at, value, integers(b, value, 64), 0, "");
  value = LLVMBuildUIToFP(b->at, value, f64s(b, value), "");
  return LLVMBuildFMul(b->at, value, power_of_two(b, shift), "");
}

LLVMValueRef agpu__bfloat_from_integer(const builder *b, LLVMValueRef value,
                                       bool is_signed) {
  unsigned width = LLVMGetIntTypeWidth(element_of(LLVMTypeOf(value)));
  if (width > WIDEST_INTEGER)
    return NULL;
  if (width <= FRACTION_BITS_F64) {
    LLVMTypeRef type =
        width > FRACTION_BITS_F32 ? f64s(b, value) : f32s(b, value);
    value = is_signed ? LLVMBuildSIToFP(b->at, value, type, "")
                      : LLVMBuildUIToFP(b->at, value, type, "");
    return agpu__bfloat_round(b, value);
  }
  if (!is_signed)
    return agpu__bfloat_round(b, wide_to_odd(b, value, width));
  LLVMValueRef negative = LLVMBuildICmp(
      b->at, LLVMIntSLT, value, agpu__bfloat_number(LLVMTypeOf(value), 0), "");
  value = LLVMBuildSelect(b->at, negative, LLVMBuildNeg(b->at, value, ""),
                          value, "");
  value = wide_to_odd(b, value, width);
  value = LLVMBuildSelect(b->at, negative, LLVMBuildFNeg(b->at, value, ""),
                          value, "");
  return agpu__bfloat_round(b, value);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LLVMValueRef agpu__bfloat_binary(const builder *b, LLVMOpcode opcode,
                                 LLVMValueRef x, LLVMValueRef y) {
  LLVMTypeRef f32 = LLVMFloatTypeInContext(b->context);
  x = agpu__bfloat_extend(b, x, f32);
  y = agpu__bfloat_extend(b, y, f32);
  return round_f32(b, LLVMBuildBinOp(b->at, opcode, x, y, ""));
}

/// In f64 the product is exact, and what the sum loses is a number again
/// (Knuth's two-sum), whose sign says how to round to odd.
LLVMValueRef agpu__bfloat_fuse(const builder *b, LLVMValueRef x, LLVMValueRef y,
                               LLVMValueRef z) {
  LLVMBuilderRef at = b->at;
  LLVMTypeRef f64 = LLVMDoubleTypeInContext(b->context);
  y = agpu__bfloat_extend(b, y, f64);
  LLVMValueRef product =
      LLVMBuildFMul(at, agpu__bfloat_extend(b, x, f64), y, "");
  z = agpu__bfloat_extend(b, z, f64);
  LLVMValueRef sum = LLVMBuildFAdd(at, product, z, "");
  LLVMValueRef part = LLVMBuildFSub(at, sum, product, "");
  LLVMValueRef rest = LLVMBuildFSub(at, sum, part, "");
  LLVMValueRef lost_of_z = LLVMBuildFSub(at, z, part, "");
  LLVMValueRef lost =
      LLVMBuildFAdd(at, LLVMBuildFSub(at, product, rest, ""), lost_of_z, "");
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(sum));
  LLVMValueRef inexact = LLVMBuildFCmp(at, LLVMRealONE, lost, zero, "");
  LLVMValueRef lost_sign = LLVMBuildFCmp(at, LLVMRealOLT, lost, zero, "");
  LLVMValueRef sum_sign = LLVMBuildFCmp(at, LLVMRealOLT, sum, zero, "");
  LLVMValueRef more = LLVMBuildICmp(at, LLVMIntEQ, lost_sign, sum_sign, "");
  return agpu__bfloat_round(b, make_odd(b, sum, 64, inexact, more));
}

LLVMValueRef agpu__bfloat_negate(const builder *b, LLVMValueRef bits) {
  return LLVMBuildXor(b->at, bits, agpu__bfloat_number(LLVMTypeOf(bits), SIGN),
                      "");
}

LLVMValueRef agpu__bfloat_copy_sign(const builder *b, LLVMValueRef bits,
                                    LLVMValueRef sign) {
  LLVMTypeRef type = LLVMTypeOf(bits);
  bits = LLVMBuildAnd(b->at, bits, agpu__bfloat_number(type, SIGN - 1), "");
  if (!sign)
    return bits;
  sign = LLVMBuildAnd(b->at, sign, agpu__bfloat_number(type, SIGN), "");
  return LLVMBuildOr(b->at, bits, sign, "");
}
