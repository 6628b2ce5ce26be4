//===- emit.c - What a pipeline ends in -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module in each form that tools write: the PTX that is embedded in it, LLVM
// IR, assembly and object files. A `main` without a result is called by one
// that returns 0 there.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/llvm_compat.h"
#include "lower/pass/progress.h"

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

typedef struct ptx_collector {
  agpu__text *out;
  size_t found;
  MlirOperation first; ///< image that was found
} ptx_collector;

/// The images that src/gpu/images/embed.c has left in the module.
static MlirWalkResult collect_ptx(MlirOperation op, void *data) {
  ptx_collector *collector = data;
  if (!agpu__op_is(op, "llvm.mlir.global") ||
      !agpu__has_attr(op, AGPU__PTX_ATTR))
    return MlirWalkResultAdvance;
  MlirStringRef name = agpu__get_string(op, AGPU__PTX_ATTR);
  MlirStringRef text = agpu__get_string(op, "value");
  // The image ends in the NUL that the driver looks for.
  while (text.length && text.data[text.length - 1] == '\0')
    --text.length;
  agpu__text_printf(collector->out, "// gpu.module @%.*s\n", AGPU__STR(name));
  agpu__text_append(collector->out, text.data, text.length);
  if (text.length && text.data[text.length - 1] != '\n')
    agpu__text_puts(collector->out, "\n");
  if (!collector->found++)
    collector->first = op;
  return MlirWalkResultAdvance;
}

/// Says why there is no PTX, where that is to be seen.
static MlirLogicalResult report_no_ptx(MlirOperation module) {
  MlirOperation first = mlirBlockGetFirstOperation(agpu__module_body(module));
  for (MlirOperation op = first; !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (agpu__op_is(op, "gpu.module"))
      return agpu__error(mlirOperationGetLocation(op),
                         "this module's kernels have not been compiled to PTX: "
                         "run --async-gpu-lower with gpu-targets=ptx");
    if (agpu__has_attr(op, AGPU__NATIVE_IMAGE_ATTR))
      return agpu__error(mlirOperationGetLocation(op),
                         "these kernels were compiled for the emulated device "
                         "alone; name ptx in gpu-targets");
  }
  // A module that is not written has no line.
  return agpu__error(
      mlirOperationGetLocation(mlirOperationIsNull(first) ? module : first),
      "the program has no kernels, and so no PTX");
}

static MlirLogicalResult emit_ptx(MlirOperation module, agpu__text *out) {
  ptx_collector collector = {.out = out};
  mlirOperationWalk(module, collect_ptx, &collector, MlirWalkPreOrder);
  if (!collector.found)
    return report_no_ptx(module);
  if (!strstr(agpu__text_get(out), ".entry "))
    return agpu__error(mlirOperationGetLocation(collector.first),
                       "no gpu.module of the program has a kernel: the PTX "
                       "would be empty");
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// LLVM IR, assembly, object files
//===----------------------------------------------------------------------===//

static MlirLogicalResult emit_file(MlirOperation module, LLVMModuleRef ir,
                                   LLVMTargetMachineRef machine,
                                   LLVMCodeGenFileType type, agpu__text *out) {
  char *reason = NULL;
  LLVMMemoryBufferRef buffer = NULL;
  const char *before = agpu__progress_set("LLVM made code");
  LLVMBool failed =
      LLVMTargetMachineEmitToMemoryBuffer(machine, ir, type, &reason, &buffer);
  (void)agpu__progress_set(before);
  if (failed) {
    agpu__error(mlirOperationGetLocation(module), "cannot make code: %s",
                reason ? reason : "unknown reason");
    LLVMDisposeMessage(reason);
    return mlirLogicalResultFailure();
  }
  agpu__text_append(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  LLVMDisposeMemoryBuffer(buffer);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult emit_optimized(MlirOperation module, LLVMModuleRef ir,
                                        LLVMTargetMachineRef machine,
                                        agpu_emit_kind kind, int level,
                                        agpu__text *out) {
  if (mlirLogicalResultIsFailure(
          agpu__codegen_optimize(module, ir, machine, level, true)))
    return mlirLogicalResultFailure();
  if (kind == AGPU_EMIT_ASM)
    return emit_file(module, ir, machine, LLVMAssemblyFile, out);
  if (kind == AGPU_EMIT_OBJ)
    return emit_file(module, ir, machine, LLVMObjectFile, out);
  char *text = LLVMPrintModuleToString(ir);
  agpu__text_puts(out, text);
  LLVMDisposeMessage(text);
  return mlirLogicalResultSuccess();
}

/// What runs a program takes what `main` returns for its exit status. A `main`
/// without results, which the runner takes for an entry point too, would leave
/// that to chance: it is called by one that returns 0.
static void give_main_a_status(LLVMModuleRef ir) {
  LLVMValueRef body = LLVMGetNamedFunction(ir, "main");
  if (!body || LLVMIsDeclaration(body) ||
      LLVMGetLinkage(body) != LLVMExternalLinkage)
    return;
  LLVMTypeRef type = LLVMGlobalGetValueType(body);
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind ||
      LLVMCountParamTypes(type))
    return;
  LLVMSetValueName2(body, "main.body", strlen("main.body"));
  LLVMSetLinkage(body, LLVMInternalLinkage);
  LLVMContextRef context = LLVMGetModuleContext(ir);
  LLVMTypeRef status = LLVMInt32TypeInContext(context);
  LLVMValueRef function =
      LLVMAddFunction(ir, "main", LLVMFunctionType(status, NULL, 0, false));
  LLVMBuilderRef builder = agpu__compat_builder(ir);
  LLVMPositionBuilderAtEnd(
      builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMValueRef call = LLVMBuildCall2(builder, type, body, NULL, 0, "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(body));
  LLVMBuildRet(builder, LLVMConstInt(status, 0, false));
  LLVMDisposeBuilder(builder);
}

static MlirLogicalResult emit_native(MlirOperation module, agpu_emit_kind kind,
                                     const agpu__target *target, int level,
                                     agpu__text *out) {
  MlirLogicalResult result = mlirLogicalResultFailure();
  LLVMContextRef context = LLVMContextCreate();
  AGPU__SCOPED(text) errors = {0};
  agpu__codegen_collect_errors(context, &errors);
  LLVMTargetMachineRef machine = agpu__target_machine(target, level, module);
  LLVMModuleRef ir =
      machine ? agpu__codegen_translate(module, machine, context) : NULL;
  if (ir) {
    give_main_a_status(ir);
    result = emit_optimized(module, ir, machine, kind, level, out);
  }
  if (errors.size)
    result = agpu__error(mlirOperationGetLocation(module),
                         "cannot make code: %s", errors.data);
  if (ir)
    LLVMDisposeModule(ir);
  if (machine)
    LLVMDisposeTargetMachine(machine);
  LLVMContextDispose(context);
  return result;
}

MlirLogicalResult agpu__emit(MlirOperation module, agpu_emit_kind kind,
                             const agpu__target *target, int level,
                             agpu__text *out) {
  switch (kind) {
  case AGPU_EMIT_MLIR:
    mlirOperationPrint(module, agpu__text_callback, out);
    agpu__text_puts(out, "\n");
    return mlirLogicalResultSuccess();
  case AGPU_EMIT_PTX: return emit_ptx(module, out);
  case AGPU_EMIT_LLVM:
  case AGPU_EMIT_ASM:
  case AGPU_EMIT_OBJ: return emit_native(module, kind, target, level, out);
  }
  return mlirLogicalResultFailure();
}
