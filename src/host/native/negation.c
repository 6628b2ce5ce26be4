//===- negation.c - Negated bf16 numbers ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/native/negation.h"

#include "llvm-c/Core.h"

#define SIGN 0x8000u

static void spell_out(LLVMBuilderRef builder, LLVMValueRef negation) {
  LLVMTypeRef type = LLVMTypeOf(negation);
  if (LLVMGetTypeKind(type) != LLVMBFloatTypeKind)
    return;
  LLVMTypeRef bits = LLVMInt16TypeInContext(LLVMGetTypeContext(type));
  LLVMPositionBuilderBefore(builder, negation);
  LLVMValueRef value =
      LLVMBuildBitCast(builder, LLVMGetOperand(negation, 0), bits, "");
  value = LLVMBuildXor(builder, value, LLVMConstInt(bits, SIGN, 0), "");
  LLVMReplaceAllUsesWith(negation, LLVMBuildBitCast(builder, value, type, ""));
  LLVMInstructionEraseFromParent(negation);
}

void agpu__spell_out_negations(LLVMModuleRef ir) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(ir));
  for (LLVMValueRef function = LLVMGetFirstFunction(ir); function;
       function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op;
           op = next) {
        next = LLVMGetNextInstruction(op);
        if (LLVMGetInstructionOpcode(op) == LLVMFNeg)
          spell_out(builder, op);
      }
  LLVMDisposeBuilder(builder);
}
