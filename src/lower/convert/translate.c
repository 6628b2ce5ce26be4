//===- translate.c - LLVM IR for a target ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's translation already works out what is constant, sizes of types
// among it. Unless the module says how its target lays types out, these are
// LLVM's defaults, by which a struct of an i64 and an i8 takes 12 bytes, and 16
// in the code that is made of it. So the module says it while it is translated,
// whatever it has said before; afterwards it is what it was.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Target.h"

#define LAYOUT "llvm.data_layout"

LLVMModuleRef agpu__translate(MlirOperation module,
                              LLVMTargetMachineRef machine,
                              LLVMContextRef context) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char *text = LLVMCopyStringRepOfTargetData(layout);
  MlirStringRef name = agpu__str(LAYOUT);
  MlirAttribute before =
      mlirOperationGetDiscardableAttributeByName(module, name);
  mlirOperationSetDiscardableAttributeByName(
      module, name, agpu__string_attr(mlirOperationGetContext(module), text));
  agpu__constants_to_bytes(module);
  LLVMModuleRef ir = mlirTranslateModuleToLLVMIR(module, context);
  if (mlirAttributeIsNull(before))
    mlirOperationRemoveDiscardableAttributeByName(module, name);
  else
    mlirOperationSetDiscardableAttributeByName(module, name, before);
  if (ir) {
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetTarget(ir, triple);
    LLVMDisposeMessage(triple);
    LLVMSetModuleDataLayout(ir, layout);
  }
  LLVMDisposeMessage(text);
  LLVMDisposeTargetData(layout);
  return ir;
}
