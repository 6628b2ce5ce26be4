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

typedef agpu__bfloat_builder builder;

typedef enum how {
  IN_F32,    ///< computed in f32
  IN_F64,    ///< computed in f64, whose range an exponent may need
  FUSED,     ///< one rounding
  SIGN,      ///< of the sign
  ONE_BY_ONE ///< a reduction: each step rounds
} how;

typedef struct intrinsic {
  const char *name;
  how how;
  LLVMOpcode step;
} intrinsic;

/// Those that compute a bf16.
static const char in_f32[] =
    "llvm.acos llvm.asin llvm.atan llvm.atan2 llvm.canonicalize llvm.ceil "
    "llvm.cos llvm.cosh llvm.exp llvm.exp10 llvm.exp2 llvm.floor llvm.log "
    "llvm.log10 llvm.log2 llvm.maximum llvm.maximumnum llvm.maxnum "
    "llvm.minimum llvm.minimumnum llvm.minnum llvm.nearbyint llvm.pow "
    "llvm.powi llvm.rint llvm.round llvm.roundeven llvm.sin llvm.sinh "
    "llvm.sqrt llvm.tan llvm.tanh llvm.trunc llvm.vector.reduce.fmax "
    "llvm.vector.reduce.fmaximum llvm.vector.reduce.fmin "
    "llvm.vector.reduce.fminimum";
static const intrinsic others[] = {
    {"llvm.copysign", SIGN, 0},
    {"llvm.fabs", SIGN, 0},
    {"llvm.fma", FUSED, 0},
    {"llvm.fmuladd", FUSED, 0},
    {"llvm.ldexp", IN_F64, 0},
    {"llvm.vector.reduce.fadd", ONE_BY_ONE, LLVMFAdd},
    {"llvm.vector.reduce.fmul", ONE_BY_ONE, LLVMFMul},
};

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

/// What `call` calls; its name is NULL where it is not among them.
static intrinsic find(LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
  if (!id)
    return (intrinsic){0};
  size_t size;
  const char *name = LLVMIntrinsicGetName(id, &size);
  if (agpu__has_word(in_f32, agpu__str(name)))
    return (intrinsic){name, IN_F32, 0};
  for (size_t i = 0; i < AGPU__COUNT(others); ++i)
    if (!strcmp(name, others[i].name))
      return others[i];
  return (intrinsic){0};
}

bool agpu__bfloat_is_fma(LLVMValueRef call) { return find(call).how == FUSED; }

LLVMValueRef agpu__bfloat_intrinsic(const builder *b, LLVMValueRef call) {
  intrinsic found = find(call);
  LLVMValueRef second = NULL, third;
  if (!found.name)
    return NULL;
  switch (found.how) {
  case IN_F32:
    return call_wider(b, found.name, call, LLVMFloatTypeInContext(b->context));
  case IN_F64:
    return call_wider(b, found.name, call, LLVMDoubleTypeInContext(b->context));
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
    return reduce(b, found.step, agpu__bfloat_operand(b, call, 0), second);
  }
  return NULL;
}
