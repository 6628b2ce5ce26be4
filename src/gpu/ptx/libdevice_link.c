//===- libdevice_link.c - CUDA's math library in kernels ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is read twice: its symbols when a module is checked, bodies and all
// when a module that calls it is compiled, each time into a context of the
// caller's or its own. Nothing is kept in between.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Linker.h"

#include <stdlib.h>
#include <string.h>

struct agpu__libdevice {
  LLVMContextRef context;
  LLVMModuleRef module; ///< bodies are not read
};

/// Errors of reading come as diagnostics too; the caller has one of its own.
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
  (void)info;
  (void)data;
}

/// The module in the file, its bodies read only if `whole`; NULL with a
/// message.
static LLVMModuleRef read_module(LLVMContextRef context, const char *path,
                                 bool whole, agpu__text *error) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    agpu__text_printf(error, "cannot read '%s': %s", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  LLVMModuleRef module = NULL;
  bool failed = whole
                    ? LLVMParseBitcodeInContext2(context, buffer, &module)
                    : LLVMGetBitcodeModuleInContext2(context, buffer, &module);
  // Only a module that is read bit by bit keeps the buffer.
  if (whole || failed)
    LLVMDisposeMemoryBuffer(buffer);
  if (!failed)
    return module;
  agpu__text_printf(error, "'%s' is not LLVM bitcode", path);
  return NULL;
}

agpu__libdevice *agpu__libdevice_open(const char *path, agpu__text *error) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
  LLVMModuleRef module = read_module(context, path, false, error);
  agpu__libdevice *library = module ? malloc(sizeof(*library)) : NULL;
  if (!library) {
    LLVMContextDispose(context);
    return NULL;
  }
  *library = (agpu__libdevice){context, module};
  return library;
}

void agpu__libdevice_close(agpu__libdevice *library) {
  if (!library)
    return;
  LLVMDisposeModule(library->module);
  LLVMContextDispose(library->context);
  free(library);
}

bool agpu__libdevice_has(const agpu__libdevice *library, const char *name,
                         size_t length) {
  LLVMValueRef function =
      LLVMGetNamedFunctionWithLength(library->module, name, length);
  return function && !LLVMIsDeclaration(function);
}

/// Spells `type` as MLIR does inside a function's; false for one that no
/// function of libdevice has.
static bool spell(LLVMTypeRef type, agpu__text *out) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMFloatTypeKind: agpu__text_puts(out, "f32"); return true;
  case LLVMDoubleTypeKind: agpu__text_puts(out, "f64"); return true;
  case LLVMIntegerTypeKind:
    agpu__text_printf(out, "i%u", LLVMGetIntTypeWidth(type));
    return true;
  case LLVMPointerTypeKind: agpu__text_puts(out, "ptr"); return true;
  case LLVMVoidTypeKind: agpu__text_puts(out, "void"); return true;
  default: return false;
  }
}

bool agpu__libdevice_type(const agpu__libdevice *library, const char *name,
                          size_t length, agpu__text *out) {
  LLVMValueRef function =
      LLVMGetNamedFunctionWithLength(library->module, name, length);
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  LLVMTypeRef parameters[8];
  unsigned count = LLVMCountParamTypes(type);
  if (count > AGPU__COUNT(parameters))
    return false;
  LLVMGetParamTypes(type, parameters);
  agpu__text_puts(out, "!llvm.func<");
  bool good = spell(LLVMGetReturnType(type), out);
  agpu__text_puts(out, " (");
  for (unsigned i = 0; i < count; ++i) {
    agpu__text_puts(out, i ? ", " : "");
    good &= spell(parameters[i], out);
  }
  agpu__text_puts(out, ")>");
  return good;
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

/// True if the call of __nvvm_reflect asks for `question`.
static bool asks_for(LLVMValueRef call, const char *question) {
  LLVMValueRef text = LLVMGetOperand(call, 0);
  // Older files wrap the string in casts and addresses of its first byte.
  while (LLVMIsAConstantExpr(text) || LLVMIsAInstruction(text))
    text = LLVMGetOperand(text, 0);
  if (!LLVMIsAGlobalVariable(text))
    return false;
  LLVMValueRef value = LLVMGetInitializer(text);
  if (!value || !LLVMIsConstantString(value))
    return false;
  size_t length;
  const char *data = LLVMGetAsString(value, &length);
  return length == strlen(question) + 1 && !memcmp(data, question, length);
}

/// Answers 1 where exactness is asked for. LLVM answers 0 to all questions but
/// that for the chip, and so to whether denormals are flushed.
static void answer_questions(LLVMModuleRef module) {
  LLVMValueRef reflect = LLVMGetNamedFunction(module, "__nvvm_reflect");
  if (!reflect)
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(reflect), next; use; use = next) {
    next = LLVMGetNextUse(use);
    LLVMValueRef call = LLVMGetUser(use);
    if (!LLVMIsACallInst(call) || (!asks_for(call, "__CUDA_PREC_SQRT") &&
                                   !asks_for(call, "__CUDA_PREC_DIV")))
      continue;
    LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), 1, false));
    LLVMInstructionEraseFromParent(call);
  }
}

bool agpu__libdevice_link(LLVMModuleRef module, const char *path,
                          agpu__text *error) {
  LLVMModuleRef library =
      read_module(LLVMGetModuleContext(module), path, true, error);
  if (!library)
    return false;
  // Its own are those of another target's name, which LLVM would warn about.
  LLVMSetTarget(library, LLVMGetTarget(module));
  LLVMSetDataLayout(library, LLVMGetDataLayoutStr(module));
  answer_questions(library);
  if (!LLVMLinkModules2(module, library))
    return true;
  agpu__text_printf(error, "cannot link '%s'", path);
  return false;
}
