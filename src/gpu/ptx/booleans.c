//===- booleans.c - Conversions of single bits ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of an i1 that is true, which is -1 as a signed number, LLVM 22's patterns for
// sm_90 make a bf16 of 1. Of a float they make an i1 that is true where all
// bits of the float are zero. After this neither is left: what a bit becomes
// is selected, and a float becomes true where cutting off its fraction leaves
// the number that true stands for.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

static bool is_boolean(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(type) == 1;
}

/// `number` in each lane of `type`, which is of floats.
static LLVMValueRef constant(LLVMBuilderRef builder, LLVMTypeRef type,
                             double number) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return LLVMConstReal(type, number);
  LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  LLVMValueRef one = LLVMConstReal(LLVMGetElementType(type), number);
  LLVMValueRef lanes = LLVMGetPoison(type);
  // Folded: both are constants.
  for (unsigned i = 0; i < LLVMGetVectorSize(type); ++i)
    lanes = LLVMBuildInsertElement(builder, lanes, one,
                                   LLVMConstInt(index, i, 0), "");
  return lanes;
}

/// What `op` gives, from before it; null where it converts something else.
static LLVMValueRef convert(LLVMBuilderRef builder, LLVMValueRef op) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(op);
  bool to_float = opcode == LLVMSIToFP || opcode == LLVMUIToFP;
  bool from_float = opcode == LLVMFPToSI || opcode == LLVMFPToUI;
  if (!to_float && !from_float)
    return NULL;
  LLVMValueRef value = LLVMGetOperand(op, 0);
  if (!is_boolean(to_float ? value : op))
    return NULL;
  LLVMPositionBuilderBefore(builder, op);
  bool is_signed = opcode == LLVMSIToFP || opcode == LLVMFPToSI;
  LLVMTypeRef type = LLVMTypeOf(to_float ? op : value);
  LLVMValueRef set = constant(builder, type, is_signed ? -1 : 1);
  return to_float
             ? LLVMBuildSelect(builder, value, set, constant(builder, type, 0),
                               "")
             : LLVMBuildFCmp(builder, is_signed ? LLVMRealOLE : LLVMRealOGE,
                             value, set, "");
}

void agpu__convert_booleans(LLVMModuleRef module) {
  LLVMBuilderRef builder = agpu__compat_builder(module);
  AGPU__FUNCTIONS_FOREACH (function, module)
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op;
           op = next) {
        next = LLVMGetNextInstruction(op);
        LLVMValueRef value = convert(builder, op);
        if (!value)
          continue;
        LLVMReplaceAllUsesWith(op, value);
        LLVMInstructionEraseFromParent(op);
      }
  LLVMDisposeBuilder(builder);
}
