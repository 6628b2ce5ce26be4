//===- bfloat.c - bf16 as integers of 16 bits -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22's code for x86 rounds to bf16 by an instruction that takes subnormal
// numbers for zeros, where the processor has it; takes the sign of what it has
// rounded for one that is never set, where only that bit is looked at; and
// rounds twice on the way from integers and from fma. A bf16 that is used in
// another block than the one that gives it becomes an f32 in between and is
// rounded again, so that even moving one is not safe.
//
// Here each value of bf16, or of a vector of them, becomes an integer. What is
// left of the type are function calls and what else has it in its signature,
// each with a cast right before or after it, and members of structures.
//
// An op that gives a bf16 is replaced by one that gives its bits, and a cast of
// these back; what uses it casts to bits again. At the end such pairs are taken
// away, which leaves no bf16 between blocks.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

#include <stdlib.h>

typedef agpu__bfloat_builder builder;

static LLVMValueRef cast_back(const builder *b, LLVMValueRef bits,
                              LLVMTypeRef type) {
  return LLVMBuildBitCast(b->at, bits, type, "");
}

static LLVMTypeRef f32_type(const builder *b) {
  return LLVMFloatTypeInContext(b->context);
}

//===----------------------------------------------------------------------===//
// What gives a bf16
//===----------------------------------------------------------------------===//

static LLVMValueRef expand_load(const builder *b, LLVMValueRef op) {
  LLVMValueRef load =
      LLVMBuildLoad2(b->at, agpu__bfloat_bits_type(b, LLVMTypeOf(op)),
                     LLVMGetOperand(op, 0), "");
  LLVMSetAlignment(load, LLVMGetAlignment(op));
  LLVMSetVolatile(load, LLVMGetVolatile(op));
  if (LLVMGetOrdering(op) != LLVMAtomicOrderingNotAtomic) {
    LLVMSetOrdering(load, LLVMGetOrdering(op));
    LLVMSetAtomicSyncScopeID(load, LLVMGetAtomicSyncScopeID(op));
  }
  return load;
}

static LLVMValueRef expand_shuffle(const builder *b, LLVMValueRef op) {
  unsigned count = LLVMGetNumMaskElements(op);
  LLVMTypeRef index = LLVMInt32TypeInContext(b->context);
  AGPU__OWNED LLVMValueRef *mask = agpu__allocate(count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < count; ++i) {
    int lane = LLVMGetMaskValue(op, i);
    mask[i] = lane < 0 ? LLVMGetPoison(index)
                       : LLVMConstInt(index, (unsigned)lane, 0);
  }
  LLVMValueRef second = agpu__bfloat_operand(b, op, 1);
  return LLVMBuildShuffleVector(b->at, agpu__bfloat_operand(b, op, 0), second,
                                LLVMConstVector(mask, count), "");
}

/// Values come from the ends of the blocks before, once these are known.
static LLVMValueRef expand_phi(const builder *b, LLVMValueRef op) {
  LLVMValueRef phi =
      LLVMBuildPhi(b->at, agpu__bfloat_bits_type(b, LLVMTypeOf(op)), "");
  for (unsigned i = 0; i < LLVMCountIncoming(op); ++i) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(op, i);
    LLVMPositionBuilderBefore(b->at, LLVMGetBasicBlockTerminator(from));
    LLVMValueRef bits = agpu__bfloat_bits(b, LLVMGetIncomingValue(op, i));
    LLVMAddIncoming(phi, &bits, &from, 1);
  }
  return phi;
}

/// The bits of what `op` gives; null where it stays.
static LLVMValueRef expand(const builder *b, LLVMValueRef op) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  LLVMValueRef second;
  switch (opcode) {
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFRem:
    second = agpu__bfloat_operand(b, op, 1);
    return agpu__bfloat_binary(b, opcode, agpu__bfloat_operand(b, op, 0),
                               second);
  case LLVMFNeg: return agpu__bfloat_negate(b, agpu__bfloat_operand(b, op, 0));
  case LLVMFPTrunc: return agpu__bfloat_round(b, LLVMGetOperand(op, 0));
  case LLVMSIToFP:
  case LLVMUIToFP:
    return agpu__bfloat_from_integer(b, LLVMGetOperand(op, 0),
                                     opcode == LLVMSIToFP);
  case LLVMCall: return agpu__bfloat_intrinsic(b, op);
  case LLVMBitCast:
    return LLVMBuildBitCast(b->at, agpu__bfloat_operand(b, op, 0),
                            agpu__bfloat_bits_type(b, LLVMTypeOf(op)), "");
  case LLVMFreeze:
    return LLVMBuildFreeze(b->at, agpu__bfloat_operand(b, op, 0), "");
  case LLVMSelect:
    second = agpu__bfloat_operand(b, op, 2);
    return LLVMBuildSelect(b->at, LLVMGetOperand(op, 0),
                           agpu__bfloat_operand(b, op, 1), second, "");
  case LLVMLoad: return expand_load(b, op);
  case LLVMPHI: return expand_phi(b, op);
  case LLVMExtractElement:
    return LLVMBuildExtractElement(b->at, agpu__bfloat_operand(b, op, 0),
                                   LLVMGetOperand(op, 1), "");
  case LLVMInsertElement:
    second = agpu__bfloat_operand(b, op, 1);
    return LLVMBuildInsertElement(b->at, agpu__bfloat_operand(b, op, 0), second,
                                  LLVMGetOperand(op, 2), "");
  case LLVMShuffleVector: return expand_shuffle(b, op);
  default: return NULL;
  }
}

//===----------------------------------------------------------------------===//
// What takes a bf16 and gives something else
//===----------------------------------------------------------------------===//

static LLVMValueRef expand_use(const builder *b, LLVMValueRef op) {
  LLVMTypeRef type = LLVMTypeOf(op);
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  LLVMValueRef second;
  switch (opcode) {
  case LLVMFPExt:
    return agpu__bfloat_extended(b, LLVMGetOperand(op, 0),
                                 LLVMGetTypeKind(type) == LLVMVectorTypeKind
                                     ? LLVMGetElementType(type)
                                     : type);
  case LLVMFCmp:
    second = agpu__bfloat_extended(b, LLVMGetOperand(op, 1), f32_type(b));
    return LLVMBuildFCmp(
        b->at, LLVMGetFCmpPredicate(op),
        agpu__bfloat_extended(b, LLVMGetOperand(op, 0), f32_type(b)), second,
        "");
  case LLVMFPToSI:
  case LLVMFPToUI:
    return LLVMBuildCast(
        b->at, opcode,
        agpu__bfloat_extended(b, LLVMGetOperand(op, 0), f32_type(b)), type, "");
  case LLVMBitCast:
    return LLVMBuildBitCast(b->at, agpu__bfloat_operand(b, op, 0), type, "");
  case LLVMStore:
    LLVMSetOperand(op, 0, agpu__bfloat_operand(b, op, 0));
    return NULL;
  default: return NULL;
  }
}

/// Lets `op`, which stays, take what it takes from casts beside it.
static void cast_operands(const builder *b, LLVMValueRef op) {
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(op); ++i) {
    LLVMValueRef value = LLVMGetOperand(op, i);
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!agpu__is_bfloat(type) || LLVMIsConstant(value))
      continue;
    LLVMSetOperand(op, i, cast_back(b, agpu__bfloat_bits(b, value), type));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Lets what uses `value`, which stays, take it from its bits, at the builder's
/// place.
static void use_bits(const builder *b, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMValueRef bits = agpu__bfloat_bits(b, value);
  LLVMReplaceAllUsesWith(value, cast_back(b, bits, type));
  LLVMSetOperand(bits, 0, value);
}

static LLVMValueRef behind_phis(LLVMValueRef phi) {
  while (LLVMGetInstructionOpcode(phi) == LLVMPHI)
    phi = LLVMGetNextInstruction(phi);
  return phi;
}

static bool takes_bfloat(LLVMValueRef op) {
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(op); ++i)
    if (agpu__is_bfloat(LLVMTypeOf(LLVMGetOperand(op, i))))
      return true;
  return false;
}

/// Puts `value` in the place of `op`: its bits, if it is of bf16.
static void replace(const builder *b, LLVMValueRef op, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(op);
  LLVMReplaceAllUsesWith(op, agpu__is_bfloat(type) ? cast_back(b, value, type)
                                                   : value);
  LLVMInstructionEraseFromParent(op);
}

static void visit(const builder *b, LLVMValueRef op) {
  bool gives = agpu__is_bfloat(LLVMTypeOf(op));
  if (!gives && !takes_bfloat(op))
    return;
  LLVMPositionBuilderBefore(b->at, op);
  LLVMValueRef value = gives ? expand(b, op) : expand_use(b, op);
  if (value) {
    LLVMPositionBuilderBefore(b->at, behind_phis(op));
    replace(b, op, value);
    return;
  }
  cast_operands(b, op);
  LLVMValueRef next = LLVMGetNextInstruction(op);
  if (!gives || !next)
    return;
  LLVMPositionBuilderBefore(b->at, next);
  use_bits(b, op);
}

static bool is_cast(LLVMValueRef value) {
  return LLVMIsAInstruction(value) &&
         LLVMGetInstructionOpcode(value) == LLVMBitCast;
}

/// Bits of a number that is cast from bits are these.
static void fold(const builder *b, LLVMValueRef op) {
  (void)b;
  LLVMValueRef from = is_cast(op) ? LLVMGetOperand(op, 0) : NULL;
  if (!from || !agpu__is_bfloat(LLVMTypeOf(from)) || !is_cast(from) ||
      LLVMTypeOf(LLVMGetOperand(from, 0)) != LLVMTypeOf(op))
    return;
  LLVMReplaceAllUsesWith(op, LLVMGetOperand(from, 0));
  LLVMInstructionEraseFromParent(op);
}

static void erase_unused(const builder *b, LLVMValueRef op) {
  (void)b;
  if (is_cast(op) && agpu__is_bfloat(LLVMTypeOf(op)) && !LLVMGetFirstUse(op))
    LLVMInstructionEraseFromParent(op);
}

static void for_each(const builder *b, LLVMValueRef function,
                     void (*body)(const builder *, LLVMValueRef)) {
  AGPU__BASIC_BLOCKS_FOREACH (block, function)
    for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op;
         op = next) {
      next = LLVMGetNextInstruction(op);
      body(b, op);
    }
}

static bool has_bfloat(LLVMValueRef function) {
  for (unsigned i = 0; i < LLVMCountParams(function); ++i)
    if (agpu__is_bfloat(LLVMTypeOf(LLVMGetParam(function, i))))
      return true;
  AGPU__BASIC_BLOCKS_FOREACH (block, function)
    AGPU__INSTRUCTIONS_FOREACH (op, block)
      if (agpu__is_bfloat(LLVMTypeOf(op)) || takes_bfloat(op))
        return true;
  return false;
}

static void expand_function(const builder *b, LLVMValueRef function) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMPositionBuilderBefore(b->at, LLVMGetFirstInstruction(entry));
  for (unsigned i = 0; i < LLVMCountParams(function); ++i)
    if (agpu__is_bfloat(LLVMTypeOf(LLVMGetParam(function, i))))
      use_bits(b, LLVMGetParam(function, i));
  for_each(b, function, visit);
  for_each(b, function, fold);
  for_each(b, function, erase_unused);
}

void agpu__expand_bfloat(LLVMModuleRef ir) {
  LLVMContextRef context = LLVMGetModuleContext(ir);
  builder b = {agpu__compat_builder(ir), ir, context};
  AGPU__FUNCTIONS_FOREACH (function, ir)
    if (!LLVMIsDeclaration(function) && has_bfloat(function))
      expand_function(&b, function);
  LLVMDisposeBuilder(b.at);
}

static void round_once(const builder *b, LLVMValueRef op) {
  if (!agpu__is_bfloat(LLVMTypeOf(op)))
    return;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  if (opcode != LLVMSIToFP && opcode != LLVMUIToFP)
    return;
  LLVMPositionBuilderBefore(b->at, op);
  replace(b, op, expand(b, op));
}

static void fuse_once(const builder *b, LLVMValueRef op) {
  if (!agpu__is_bfloat(LLVMTypeOf(op)) ||
      LLVMGetInstructionOpcode(op) != LLVMCall)
    return;
  if (!agpu__bfloat_is_fma(op))
    return;
  LLVMPositionBuilderBefore(b->at, op);
  replace(b, op, expand(b, op));
}

void agpu__round_bfloat_once(LLVMModuleRef ir, bool has_fma) {
  LLVMContextRef context = LLVMGetModuleContext(ir);
  builder b = {agpu__compat_builder(ir), ir, context};
  AGPU__FUNCTIONS_FOREACH (function, ir) {
    for_each(&b, function, round_once);
    if (!has_fma)
      for_each(&b, function, fuse_once);
  }
  LLVMDisposeBuilder(b.at);
}

bool agpu__has_bfloat_atomics(LLVMModuleRef ir) {
  AGPU__FUNCTIONS_FOREACH (function, ir)
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      AGPU__INSTRUCTIONS_FOREACH (op, block)
        if (LLVMGetInstructionOpcode(op) == LLVMAtomicRMW &&
            agpu__is_bfloat(LLVMTypeOf(op)))
          return true;
  return false;
}
