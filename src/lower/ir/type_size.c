//===- type_size.c - Bytes of a type --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks LLVM, by the layout that 64-bit hosts and NVPTX share for what a kernel
// and its launch both see.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#define LAYOUT "e-p:64:64-i64:64-i128:128-n8:16:32:64-S128"

/// The bytes of a scalar, aligned to its size, which LLVM need not be asked of;
/// 0 for other types.
static uint64_t scalar_size(MlirType type) {
  unsigned bits = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                  : mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type)
                  : mlirTypeIsALLVMPointerType(type) ? 64
                                                     : 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

uint64_t agpu__type_size(MlirType type, uint64_t *out_alignment) {
  *out_alignment = scalar_size(type);
  if (*out_alignment)
    return *out_alignment;
  LLVMContextRef context = LLVMContextCreate();
  LLVMTargetDataRef layout = LLVMCreateTargetData(LAYOUT);
  MlirTypeToLLVMIRTranslator translator =
      mlirTypeToLLVMIRTranslatorCreate(context);
  LLVMTypeRef translated =
      mlirTypeToLLVMIRTranslatorTranslateType(translator, type);
  uint64_t size = LLVMABISizeOfType(layout, translated);
  *out_alignment = LLVMABIAlignmentOfType(layout, translated);
  mlirTypeToLLVMIRTranslatorDestroy(translator);
  LLVMDisposeTargetData(layout);
  LLVMContextDispose(context);
  return size;
}
