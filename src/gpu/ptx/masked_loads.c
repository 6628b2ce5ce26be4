//===- masked_loads.c - Loads of some lanes -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22's backend makes a load of all lanes of one whose mask is constant: it
// reads those that are off, which may lie behind the end of a buffer, and gives
// what it finds there instead of what the program asks for. Masks that are not
// constant are taken apart before, and so are those here. Masked stores are
// right.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/masked_loads.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAME "llvm.masked.load"

/// The operands of the intrinsic.
enum { ADDRESS, MASK, OTHERWISE };

static bool is_masked_load(LLVMValueRef op) {
  if (LLVMGetInstructionOpcode(op) != LLVMCall)
    return false;
  LLVMValueRef callee = LLVMGetCalledValue(op);
  return LLVMIsAFunction(callee) &&
         LLVMGetIntrinsicID(callee) ==
             LLVMLookupIntrinsicID(NAME, strlen(NAME)) &&
         LLVMIsConstant(LLVMGetOperand(op, MASK)) &&
         LLVMGetTypeKind(LLVMTypeOf(op)) == LLVMVectorTypeKind;
}

/// What the address of the call is known to be a multiple of.
static uint64_t alignment_of(LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(
      call, (LLVMAttributeIndex)(ADDRESS + 1), kind);
  return align ? LLVMGetEnumAttributeValue(align) : 1;
}

static bool is_on(LLVMValueRef mask, unsigned lane) {
  LLVMValueRef bit = LLVMGetAggregateElement(mask, lane);
  return bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit);
}

static void expand(LLVMBuilderRef builder, LLVMTargetDataRef layout,
                   LLVMValueRef call) {
  LLVMTypeRef type = LLVMTypeOf(call);
  LLVMTypeRef element = LLVMGetElementType(type);
  uint64_t bits = LLVMSizeOfTypeInBits(layout, element);
  // Lanes of less than a byte, which share one.
  if (bits % 8 != 0)
    return;
  LLVMContextRef context = LLVMGetTypeContext(type);
  LLVMTypeRef byte = LLVMInt8TypeInContext(context);
  LLVMTypeRef index = LLVMInt64TypeInContext(context);
  uint64_t alignment = alignment_of(call);
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef address = LLVMGetOperand(call, ADDRESS);
  LLVMValueRef result = LLVMGetOperand(call, OTHERWISE);
  for (unsigned lane = 0; lane < LLVMGetVectorSize(type); ++lane) {
    if (!is_on(LLVMGetOperand(call, MASK), lane))
      continue;
    uint64_t offset = lane * bits / 8;
    LLVMValueRef distance = LLVMConstInt(index, offset, 0);
    LLVMValueRef place =
        LLVMBuildGEP2(builder, byte, address, &distance, 1, "");
    LLVMValueRef loaded = LLVMBuildLoad2(builder, element, place, "");
    uint64_t known = alignment | offset;
    LLVMSetAlignment(loaded, (unsigned)(known & (~known + 1)));
    result = LLVMBuildInsertElement(builder, result, loaded,
                                    LLVMConstInt(index, lane, 0), "");
  }
  LLVMReplaceAllUsesWith(call, result);
  LLVMInstructionEraseFromParent(call);
}

void agpu__expand_masked_loads(LLVMModuleRef module) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op;
           op = next) {
        next = LLVMGetNextInstruction(op);
        if (is_masked_load(op))
          expand(builder, layout, op);
      }
  LLVMDisposeBuilder(builder);
}
