//===- vector_loads.c - Loads that read too much --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM loads a vector of three as one of four where it knows the address to be
// aligned for that, and aligns variables of its own accord so that it does. In
// a variable that ends with the vector such a load reads what lies after it.
// With its size a multiple of its alignment, what an aligned access touches is
// its own.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

#include "llvm-c/Target.h"

#include <string.h>

/// Bytes of PTX's widest access.
enum { WIDEST = 16 };

/// `type` with bytes after it; null where it needs none.
static LLVMTypeRef padded(LLVMTargetDataRef layout, LLVMTypeRef type,
                          unsigned alignment) {
  unsigned long long size = LLVMABISizeOfType(layout, type);
  unsigned long long multiple = alignment < WIDEST ? alignment : WIDEST;
  if (!size || !multiple || size % multiple == 0)
    return NULL;
  LLVMContextRef context = LLVMGetTypeContext(type);
  LLVMTypeRef fields[] = {type, LLVMArrayType2(LLVMInt8TypeInContext(context),
                                               multiple - size % multiple)};
  return LLVMStructTypeInContext(context, fields, 2, false);
}

static void pad_global(LLVMModuleRef module, LLVMTargetDataRef layout,
                       LLVMValueRef global) {
  LLVMTypeRef type = LLVMIsDeclaration(global)
                         ? NULL
                         : padded(layout, LLVMGlobalGetValueType(global),
                                  LLVMGetAlignment(global));
  if (!type)
    return;
  LLVMValueRef value = LLVMGetInitializer(global);
  LLVMTypeRef rest = LLVMStructGetTypeAtIndex(type, 1);
  LLVMValueRef fields[] = {value, LLVMIsUndef(value) ? LLVMGetUndef(rest)
                                                     : LLVMConstNull(rest)};
  LLVMValueRef larger = LLVMAddGlobalInAddressSpace(
      module, type, "", LLVMGetPointerAddressSpace(LLVMTypeOf(global)));
  LLVMSetInitializer(
      larger,
      LLVMConstStructInContext(LLVMGetModuleContext(module), fields, 2, false));
  LLVMSetLinkage(larger, LLVMGetLinkage(global));
  LLVMSetGlobalConstant(larger, LLVMIsGlobalConstant(global));
  LLVMSetUnnamedAddress(larger, LLVMGetUnnamedAddress(global));
  LLVMSetAlignment(larger, LLVMGetAlignment(global));
  LLVMReplaceAllUsesWith(global, larger);
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  char *kept = LLVMCreateMessage(name);
  LLVMDeleteGlobal(global);
  LLVMSetValueName2(larger, kept, length);
  LLVMDisposeMessage(kept);
}

static void pad_local(LLVMTargetDataRef layout, LLVMBuilderRef builder,
                      LLVMValueRef local) {
  LLVMTypeRef type =
      padded(layout, LLVMGetAllocatedType(local), LLVMGetAlignment(local));
  LLVMValueRef count = LLVMGetOperand(local, 0);
  if (!type || !LLVMIsAConstantInt(count) ||
      LLVMConstIntGetZExtValue(count) != 1)
    return;
  LLVMPositionBuilderBefore(builder, local);
  LLVMValueRef larger = LLVMBuildAlloca(builder, type, "");
  LLVMSetAlignment(larger, LLVMGetAlignment(local));
  LLVMReplaceAllUsesWith(local, larger);
  LLVMInstructionEraseFromParent(local);
}

/// Variables whose number is constant stand in the entry block.
static void pad_locals(LLVMTargetDataRef layout, LLVMBuilderRef builder,
                       LLVMValueRef function) {
  LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
  if (!entry)
    return;
  for (LLVMValueRef op = LLVMGetFirstInstruction(entry), next; op; op = next) {
    next = LLVMGetNextInstruction(op);
    if (LLVMGetInstructionOpcode(op) == LLVMAlloca)
      pad_local(layout, builder, op);
  }
}

static bool is_widened(LLVMValueRef op) {
  LLVMTypeRef type = LLVMTypeOf(op);
  if (LLVMGetInstructionOpcode(op) != LLVMLoad ||
      LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return false;
  unsigned lanes = LLVMGetVectorSize(type);
  return (lanes & (lanes - 1)) != 0;
}

static bool has_widened_loads(LLVMModuleRef module) {
  AGPU__FUNCTIONS_FOREACH (function, module)
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      AGPU__INSTRUCTIONS_FOREACH (op, block)
        if (is_widened(op))
          return true;
  return false;
}

void agpu__pad_variables(LLVMModuleRef module) {
  if (!has_widened_loads(module))
    return;
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMBuilderRef builder = agpu__compat_builder(module);
  for (LLVMValueRef global = LLVMGetFirstGlobal(module), next; global;
       global = next) {
    next = LLVMGetNextGlobal(global);
    pad_global(module, layout, global);
  }
  AGPU__FUNCTIONS_FOREACH (function, module)
    pad_locals(layout, builder, function);
  LLVMDisposeBuilder(builder);
}

//===----------------------------------------------------------------------===//
// Masked loads
//===----------------------------------------------------------------------===//

// LLVM 22's backend makes a load of all lanes of one whose mask is constant: it
// reads those that are off, which may lie after the end of a buffer, and gives
// what it finds there instead of what the program asks for. Masks that are not
// constant are taken apart before, and so are those here. Masked stores are
// right.

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

static void expand_load(LLVMBuilderRef builder, LLVMTargetDataRef layout,
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
  LLVMBuilderRef builder = agpu__compat_builder(module);
  AGPU__FUNCTIONS_FOREACH (function, module)
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      for (LLVMValueRef op = LLVMGetFirstInstruction(block), next; op;
           op = next) {
        next = LLVMGetNextInstruction(op);
        if (is_masked_load(op))
          expand_load(builder, layout, op);
      }
  LLVMDisposeBuilder(builder);
}
