//===- bfloat_intrinsics.c - Intrinsics that compute a bf16 ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of LLVM's intrinsics that round to bf16, by how each is computed.
// What others give is exact, or no bf16.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <stdlib.h>

typedef agpu__bfloat_builder builder;

typedef enum how {
  IN_F32,    ///< computed in f32
  IN_F64,    ///< computed in f64, whose range an exponent may need
  FUSED,     ///< one rounding
  SIGN,      ///< of the sign
  ONE_BY_ONE ///< a reduction: each step rounds
} how;

/// Those that compute a bf16, by their names.
static const struct intrinsic {
  const char *name;
  how how;
  LLVMOpcode step;
} intrinsics[] = {
    {"llvm.acos", IN_F32, 0},
    {"llvm.asin", IN_F32, 0},
    {"llvm.atan", IN_F32, 0},
    {"llvm.atan2", IN_F32, 0},
    {"llvm.canonicalize", IN_F32, 0},
    {"llvm.ceil", IN_F32, 0},
    {"llvm.copysign", SIGN, 0},
    {"llvm.cos", IN_F32, 0},
    {"llvm.cosh", IN_F32, 0},
    {"llvm.exp", IN_F32, 0},
    {"llvm.exp10", IN_F32, 0},
    {"llvm.exp2", IN_F32, 0},
    {"llvm.fabs", SIGN, 0},
    {"llvm.floor", IN_F32, 0},
    {"llvm.fma", FUSED, 0},
    {"llvm.fmuladd", FUSED, 0},
    {"llvm.ldexp", IN_F64, 0},
    {"llvm.log", IN_F32, 0},
    {"llvm.log10", IN_F32, 0},
    {"llvm.log2", IN_F32, 0},
    {"llvm.maximum", IN_F32, 0},
    {"llvm.maximumnum", IN_F32, 0},
    {"llvm.maxnum", IN_F32, 0},
    {"llvm.minimum", IN_F32, 0},
    {"llvm.minimumnum", IN_F32, 0},
    {"llvm.minnum", IN_F32, 0},
    {"llvm.nearbyint", IN_F32, 0},
    {"llvm.pow", IN_F32, 0},
    {"llvm.powi", IN_F32, 0},
    {"llvm.rint", IN_F32, 0},
    {"llvm.round", IN_F32, 0},
    {"llvm.roundeven", IN_F32, 0},
    {"llvm.sin", IN_F32, 0},
    {"llvm.sinh", IN_F32, 0},
    {"llvm.sqrt", IN_F32, 0},
    {"llvm.tan", IN_F32, 0},
    {"llvm.tanh", IN_F32, 0},
    {"llvm.trunc", IN_F32, 0},
    {"llvm.vector.reduce.fadd", ONE_BY_ONE, LLVMFAdd},
    {"llvm.vector.reduce.fmax", IN_F32, 0},
    {"llvm.vector.reduce.fmaximum", IN_F32, 0},
    {"llvm.vector.reduce.fmin", IN_F32, 0},
    {"llvm.vector.reduce.fminimum", IN_F32, 0},
    {"llvm.vector.reduce.fmul", ONE_BY_ONE, LLVMFMul},
};
#define INTRINSIC_COUNT (AGPU__COUNT(intrinsics))

static int compare_names(const void *name, const void *entry) {
  return strcmp(name, ((const struct intrinsic *)entry)->name);
}

/// Sums or multiplies the elements of a vector, in their order.
static LLVMValueRef reduce(const builder *b, LLVMOpcode opcode,
                           LLVMValueRef start, LLVMValueRef vector) {
  LLVMTypeRef index = LLVMInt32TypeInContext(b->context);
  unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
  for (unsigned i = 0; i < count; ++i) {
    LLVMValueRef element =
        LLVMBuildExtractElement(b->at, vector, LLVMConstInt(index, i, 0), "");
    start = agpu__bfloat_binary(b, opcode, start, element);
  }
  return start;
}

/// The same intrinsic for floats of the type `element`.
static LLVMValueRef call_wider(const builder *b, const char *name,
                               LLVMValueRef op, LLVMTypeRef element) {
  LLVMValueRef arguments[2];
  unsigned count = LLVMGetNumArgOperands(op);
  for (unsigned i = 0; i < count; ++i)
    arguments[i] = agpu__bfloat_extended(b, LLVMGetOperand(op, i), element);
  LLVMTypeRef types[] = {LLVMTypeOf(arguments[0]),
                         LLVMTypeOf(arguments[count - 1])};
  // An exponent has a type of its own.
  size_t type_count = types[1] == types[0] ? 1 : 2;
  return agpu__bfloat_round(
      b, agpu__bfloat_call(b, name, types, type_count, arguments, count));
}

/// What `call` calls; null where that is not in the table.
static const struct intrinsic *find(LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
  if (!id)
    return NULL;
  size_t size;
  const char *name = LLVMIntrinsicGetName(id, &size);
  return bsearch(name, intrinsics, INTRINSIC_COUNT, sizeof(*intrinsics),
                 compare_names);
}

bool agpu__bfloat_is_fma(LLVMValueRef call) {
  const struct intrinsic *found = find(call);
  return found && found->how == FUSED;
}

LLVMValueRef agpu__bfloat_intrinsic(const builder *b, LLVMValueRef call) {
  const struct intrinsic *found = find(call);
  LLVMValueRef second = NULL, third;
  if (!found)
    return NULL;
  switch (found->how) {
  case IN_F32:
    return call_wider(b, found->name, call, LLVMFloatTypeInContext(b->context));
  case IN_F64:
    return call_wider(b, found->name, call,
                      LLVMDoubleTypeInContext(b->context));
  case FUSED:
    third = agpu__bfloat_operand(b, call, 2);
    second = agpu__bfloat_operand(b, call, 1);
    return agpu__bfloat_fuse(b, agpu__bfloat_operand(b, call, 0), second,
                             third);
  case SIGN:
    if (LLVMGetNumArgOperands(call) > 1)
      second = agpu__bfloat_operand(b, call, 1);
    return agpu__bfloat_copy_sign(b, agpu__bfloat_operand(b, call, 0), second);
  case ONE_BY_ONE:
    second = agpu__bfloat_operand(b, call, 1);
    return reduce(b, found->step, agpu__bfloat_operand(b, call, 0), second);
  }
  return NULL;
}
