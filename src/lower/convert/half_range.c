//===- half_range.c - Integers beyond the range of f16 --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22's optimiser takes a conversion of an integer to a float for exact
// where the integer's significant bits fit into the fraction, whatever the
// exponent: f16(2^21) extended to f32 becomes f32(2^21), and not infinity. It
// makes conversions to f16 of those to a wider float, too, where the result is
// truncated to f16.
//
// f16 is the one float that does not reach as far as integers do. After this
// all that becomes an f16 lies between -65535 and 65535: a number beyond these
// is infinity as these are, and one within that has no more significant bits
// than a fraction is one that f16 has.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

/// The largest integer of 16 bits. From 65520 on numbers become infinity.
#define LIMIT 65535

typedef agpu__bfloat_builder builder;

static LLVMTypeRef element_of(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type)
                                                     : type;
}

static bool is_half(LLVMValueRef value) {
  return LLVMGetTypeKind(element_of(LLVMTypeOf(value))) == LLVMHalfTypeKind;
}

static bool converts_wide_integer(LLVMValueRef op) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  return (opcode == LLVMSIToFP || opcode == LLVMUIToFP) &&
         LLVMGetTypeKind(LLVMTypeOf(op)) != LLVMScalableVectorTypeKind &&
         LLVMGetIntTypeWidth(element_of(LLVMTypeOf(LLVMGetOperand(op, 0)))) >
             16;
}

/// `value`, or `limit` where `value` is beyond it, which `wrong` says of floats
/// and the intrinsic `name` of integers. NaNs stay.
static LLVMValueRef limited(const builder *b, LLVMValueRef value,
                            LLVMValueRef limit, LLVMRealPredicate wrong,
                            const char *name) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef operands[] = {value, limit};
  if (LLVMGetTypeKind(element_of(type)) == LLVMIntegerTypeKind)
    return agpu__bfloat_call(b, name, &type, 1, operands, 2);
  LLVMValueRef beyond = LLVMBuildFCmp(b->at, wrong, value, limit, "");
  return LLVMBuildSelect(b->at, beyond, limit, value, "");
}

static void limit_operand(const builder *b, LLVMValueRef op) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  if (!is_half(op) || (opcode != LLVMFPTrunc && !converts_wide_integer(op)))
    return;
  LLVMPositionBuilderBefore(b->at, op);
  LLVMValueRef value = LLVMGetOperand(op, 0);
  if (opcode == LLVMUIToFP) {
    value = limited(b, value, agpu__bfloat_number(LLVMTypeOf(value), LIMIT),
                    LLVMRealOGT, "llvm.umin");
  } else {
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeRef integers =
        agpu__bfloat_lanes(type, LLVMInt32TypeInContext(b->context));
    bool is_float = opcode == LLVMFPTrunc;
    LLVMValueRef most = agpu__bfloat_number(is_float ? integers : type, LIMIT);
    LLVMValueRef least = LLVMConstNeg(most);
    // Folded: both are constants.
    if (is_float) {
      most = LLVMBuildSIToFP(b->at, most, type, "");
      least = LLVMBuildSIToFP(b->at, least, type, "");
    }
    value = limited(b, value, most, LLVMRealOGT, "llvm.smin");
    value = limited(b, value, least, LLVMRealOLT, "llvm.smax");
  }
  LLVMSetOperand(op, 0, value);
}

/// What a module has: only where both occur, something is taken for exact.
typedef struct contents {
  bool extends_half, converts_wide_integer;
} contents;

static void note(const builder *b, LLVMValueRef op, contents *found) {
  (void)b;
  found->extends_half |= LLVMGetInstructionOpcode(op) == LLVMFPExt &&
                         is_half(LLVMGetOperand(op, 0));
  found->converts_wide_integer |= converts_wide_integer(op);
}

static void limit(const builder *b, LLVMValueRef op, contents *found) {
  (void)found;
  limit_operand(b, op);
}

static void for_each(const builder *b,
                     void (*body)(const builder *, LLVMValueRef, contents *),
                     contents *found) {
  AGPU__FUNCTIONS_FOREACH (function, b->ir)
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      AGPU__INSTRUCTIONS_FOREACH (op, block)
        body(b, op, found);
}

void agpu__limit_half_conversions(LLVMModuleRef ir) {
  LLVMContextRef context = LLVMGetModuleContext(ir);
  builder b = {agpu__compat_builder(ir), ir, context};
  contents found = {0};
  for_each(&b, note, &found);
  if (found.extends_half && found.converts_wide_integer)
    for_each(&b, limit, &found);
  LLVMDisposeBuilder(b.at);
}
