//===- padding.c - Variables as large as they are aligned -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM loads a vector of three as one of four where it knows the address to be
// aligned for that, and aligns variables of its own accord so that it does. In
// a variable that ends with the vector such a load reads what lies behind it.
// With its size a multiple of its alignment, what an aligned access touches is
// its own.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/padding.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#include <stdbool.h>
#include <stddef.h>

/// Bytes of PTX's widest access.
enum { WIDEST = 16 };

/// `type` with bytes behind it; null where it needs none.
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
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef op = LLVMGetFirstInstruction(block); op;
           op = LLVMGetNextInstruction(op))
        if (is_widened(op))
          return true;
  return false;
}

void agpu__pad_variables(LLVMModuleRef module) {
  if (!has_widened_loads(module))
    return;
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef global = LLVMGetFirstGlobal(module), next; global;
       global = next) {
    next = LLVMGetNextGlobal(global);
    pad_global(module, layout, global);
  }
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function))
    pad_locals(layout, builder, function);
  LLVMDisposeBuilder(builder);
}
