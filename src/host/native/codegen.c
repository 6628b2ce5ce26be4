//===- codegen.c - From the LLVM dialect to native code -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of the LLVM dialect becomes LLVM IR, then code of a target machine.
// An op that is not lowered is an error at its place; what MLIR calls private
// is internal in the IR; what LLVM reports is collected for a diagnostic of
// MLIR's.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "lower/convert/convert.h"
#include "lower/ir/llvm_loops.h"
#include "lower/pass/progress.h"

#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <stdio.h>

/// Dialects whose ops upstream translates to LLVM IR for a host. `gpu` is
/// among upstream's, but only for what its own pipeline leaves.
static const char *const translated_dialects[] = {
    "llvm", "nvvm",    "omp",     "ptr",  "x86vector",
    "amx",  "arm_sve", "arm_sme", "vcix", "arm_neon",
};

static bool is_translated(MlirOperation op) {
  if (agpu__op_is(op, "builtin.module") || agpu__op_is(op, "gpu.binary"))
    return true;
  size_t count = AGPU__COUNT(translated_dialects);
  for (size_t i = 0; i < count; ++i)
    if (agpu__op_in_dialect(op, translated_dialects[i]))
      return true;
  return false;
}

static MlirWalkResult find_unlowered(MlirOperation op, void *data) {
  if (is_translated(op))
    return MlirWalkResultAdvance;
  *(MlirOperation *)data = op;
  return MlirWalkResultInterrupt;
}

MlirOperation agpu__codegen_find_unlowered(MlirOperation module) {
  MlirOperation found = {NULL};
  mlirOperationWalk(module, find_unlowered, &found, MlirWalkPreOrder);
  return found;
}

/// What MLIR calls private is not seen outside of the module, which upstream's
/// translation does not tell LLVM.
static void hide_private(MlirOperation module, LLVMModuleRef ir) {
  AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
    MlirStringRef visibility = agpu__get_string(op, "sym_visibility");
    if (!agpu__op_is(op, "llvm.func") ||
        !mlirStringRefEqual(visibility, agpu__str("private")))
      continue;
    MlirStringRef name = agpu__get_string(op, "sym_name");
    LLVMValueRef function =
        LLVMGetNamedFunctionWithLength(ir, name.data, name.length);
    if (function && !LLVMIsDeclaration(function) &&
        LLVMGetLinkage(function) == LLVMExternalLinkage)
      LLVMSetLinkage(function, LLVMInternalLinkage);
  }
}

LLVMModuleRef agpu__codegen_translate(MlirOperation module,
                                      LLVMTargetMachineRef machine,
                                      LLVMContextRef context) {
  MlirOperation unlowered = agpu__codegen_find_unlowered(module);
  if (!mlirOperationIsNull(unlowered)) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(unlowered));
    agpu__error(mlirOperationGetLocation(unlowered),
                "'%.*s' is not in the LLVM dialect; native code needs a "
                "lowered module: add --async-gpu-lower",
                AGPU__STR(name));
    return NULL;
  }
  const char *before = agpu__progress_set("it translated to LLVM IR");
  LLVMModuleRef ir = agpu__translate(module, machine, context);
  (void)agpu__progress_set(before);
  if (ir)
    hide_private(module, ir);
  return ir;
}

static bool is_local(LLVMLinkage linkage) {
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
         linkage == LLVMAppendingLinkage ||
         linkage == LLVMAvailableExternallyLinkage;
}

static void make_internal(LLVMValueRef global, const char *const *kept) {
  if (LLVMIsDeclaration(global) || is_local(LLVMGetLinkage(global)))
    return;
  size_t size;
  const char *name = LLVMGetValueName2(global, &size);
  for (; *kept; ++kept)
    if (strlen(*kept) == size && memcmp(*kept, name, size) == 0)
      return;
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
}

void agpu__codegen_internalize(LLVMModuleRef ir, const char *const *kept) {
  AGPU__FUNCTIONS_FOREACH (function, ir)
    make_internal(function, kept);
  for (LLVMValueRef variable = LLVMGetFirstGlobal(ir); variable;
       variable = LLVMGetNextGlobal(variable))
    // Names with a meaning for LLVM: llvm.used, llvm.global_ctors, ...
    if (strncmp(LLVMGetValueName2(variable, &(size_t){0}), "llvm.", 5) != 0)
      make_internal(variable, kept);
}

static void collect_error(LLVMDiagnosticInfoRef info, void *data) {
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  agpu__text *errors = data;
  char *message = LLVMGetDiagInfoDescription(info);
  // After the first line stand the source line and a caret.
  size_t size = strcspn(message, "\n");
  if (errors->size)
    agpu__text_puts(errors, "; ");
  agpu__text_append(errors, message, size);
  LLVMDisposeMessage(message);
}

void agpu__codegen_collect_errors(LLVMContextRef context, agpu__text *errors) {
  LLVMContextSetDiagnosticHandler(context, collect_error, errors);
}

//===----------------------------------------------------------------------===//
// Optimisation
//===----------------------------------------------------------------------===//

MlirLogicalResult agpu__codegen_optimize(MlirOperation module, LLVMModuleRef ir,
                                         LLVMTargetMachineRef machine,
                                         int level, bool unroll) {
  agpu__region_names_mark(module, ir);
  agpu__limit_half_conversions(ir);
  agpu__keep_in_frames(ir);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  // What clang does at these levels; the default of the options is off.
  LLVMPassBuilderOptionsSetLoopVectorization(options, level >= 2);
  LLVMPassBuilderOptionsSetSLPVectorization(options, level >= 2);
  LLVMPassBuilderOptionsSetLoopUnrolling(options, unroll && level >= 2);
  char passes[96];
  // No target selects intrinsics of matrices.
  snprintf(passes, sizeof(passes),
           "function(lower-matrix-intrinsics),default<O%d>%s", level,
           agpu__has_bfloat_atomics(ir) ? ",function(atomic-expand)" : "");
  const char *before = agpu__progress_set("LLVM optimised the program");
  LLVMErrorRef error = LLVMRunPasses(ir, passes, machine, options);
  (void)agpu__progress_set(before);
  LLVMDisposePassBuilderOptions(options);
  if (!error) {
    agpu__expand_bfloat(ir);
    agpu__region_names_add(module, ir);
    return mlirLogicalResultSuccess();
  }
  char *message = LLVMGetErrorMessage(error);
  agpu__error(mlirOperationGetLocation(module), "cannot optimise: %s", message);
  LLVMDisposeErrorMessage(message);
  return mlirLogicalResultFailure();
}
