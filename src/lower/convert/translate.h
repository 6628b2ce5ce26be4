//===- translate.h - LLVM IR for a target -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TRANSLATE_H
#define ASYNC_GPU_LOWER_TRANSLATE_H

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"

/// LLVM IR of `module`, whose ops all have a translation, for `machine`'s
/// target and with its sizes of types. The caller owns it; it lives in
/// `context`. NULL after a diagnostic.
LLVMModuleRef agpu__translate(MlirOperation module,
                              LLVMTargetMachineRef machine,
                              LLVMContextRef context);

#endif // ASYNC_GPU_LOWER_TRANSLATE_H
