//===- codegen.h - From the LLVM dialect to native code ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM dialect -> LLVM IR -> optimised, with coroutines split -> assembly or
// an object file. Errors are MLIR diagnostics at the ops they concern, or at
// the module where no op is to blame. Thread safe for different contexts.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_CODEGEN_H
#define ASYNC_GPU_HOST_CODEGEN_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

#include <stdbool.h>

/// The first op of `module`, itself included, that has no translation to LLVM
/// IR; a null op where all have one.
MlirOperation agpu__codegen_find_unlowered(MlirOperation module);

/// LLVM IR of `module` for `machine`, in `context`, which the caller owns like
/// the result. Functions that are private in the module are internal, so that
/// LLVM can drop them once they are inlined. NULL after a diagnostic: at the
/// first op that is not in the LLVM dialect, or upstream's own.
LLVMModuleRef agpu__codegen_translate(MlirOperation module,
                                      LLVMTargetMachineRef machine,
                                      LLVMContextRef context);

/// Has errors that LLVM finds in the code of `context` (in inline assembly,
/// say) appended to `errors`, which lives as long as the context. Otherwise
/// LLVM would print them and end the process.
void agpu__codegen_collect_errors(LLVMContextRef context, agpu__text *errors);

/// Makes every function and variable that is defined internal, but for the
/// functions of the list `kept`, which a NULL ends.
void agpu__codegen_internalize(LLVMModuleRef ir, const char *const *kept);

/// Sets the target of `ir` and runs LLVM's default pipeline of level 0 to 3 on
/// it, which splits coroutines at every level. `unroll` allows loops to be
/// unrolled: more code to make, for little where loops are vectorised.
MlirLogicalResult agpu__codegen_optimize(MlirOperation module, LLVMModuleRef ir,
                                         LLVMTargetMachineRef machine,
                                         int level, bool unroll);

#endif // ASYNC_GPU_HOST_CODEGEN_H
