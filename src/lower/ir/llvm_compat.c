//===- llvm_compat.c - What differs between LLVM releases -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that differs from one release of LLVM to the next: signatures, and the
// words of messages that something has to be read from.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/llvm_compat.h"

#include "lower/ir/ir.h"
#include "llvm/Config/llvm-config.h"

#include "mlir-c/Diagnostics.h"
#include "llvm-c/Core.h"
#include "llvm-c/Support.h"

#include <ctype.h>
#include <stdlib.h>

char *agpu__compat_required_anchor(const char *message) {
  // "Can't add pass 'P' restricted to 'func.func' on a PassManager ..."
  static const char marker[] = "restricted to '";
  const char *begin = strstr(message, marker);
  if (!begin)
    return NULL;
  begin += strlen(marker);
  const char *end = strchr(begin, '\'');
  return end ? strndup(begin, (size_t)(end - begin)) : NULL;
}

bool agpu__compat_is_unknown_pass(const char *message) {
  return strstr(message, "does not refer to a registered pass") != NULL;
}

void agpu__compat_pipeline_error(const char *message, agpu__text *reason) {
  // "MLIR Textual PassPipeline Parser:1:1: error: 'x' does not refer ..." is
  // followed by the text and a caret; "<Pass-Options-Parser>: no such ..." by
  // the pass once more. The first line with words says it.
  static const char *const prefixes[] = {"<Pass-Options-Parser>: ", "error: "};
  for (size_t i = 0; i < AGPU__COUNT(prefixes); ++i) {
    const char *found = strstr(message, prefixes[i]);
    if (found)
      message = found + strlen(prefixes[i]);
  }
  while (isspace((unsigned char)*message))
    ++message;
  size_t size = strcspn(message, "\n");
  if (size)
    agpu__text_append(reason, message, size);
  else
    agpu__text_puts(reason, "malformed pass or pass option");
}

void agpu__compat_enable_ir_printing(MlirPassManager manager,
                                     const agpu__ir_printing *printing) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  // The conditions are conditions of printing after each pass.
  bool after =
      printing->after_all || printing->after_change || printing->after_failure;
  mlirPassManagerEnableIRPrinting(
      manager, printing->before_all, after, printing->module_scope,
      printing->after_change, printing->after_failure, flags,
      agpu__str(printing->tree_directory ? printing->tree_directory : ""));
  mlirOpPrintingFlagsDestroy(flags);
}

bool agpu__compat_is_lost_file(const char *line) {
  static const char *const prefixes[] = {"Error while creating directory ",
                                         "Error opening output file "};
  for (size_t i = 0; i < AGPU__COUNT(prefixes); ++i)
    if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

bool agpu__compat_has_statistics(void) { return LLVM_FORCE_ENABLE_STATS; }

LLVMOrcThreadSafeContextRef
agpu__compat_thread_safe_context(LLVMContextRef context) {
  return LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
}

MlirType agpu__compat_coroutine_token(MlirContext context) {
#if LLVM_VERSION_MAJOR >= 23
  return agpu__parse_type(context, "token");
#else
  return agpu__parse_type(context, "!llvm.token");
#endif
}

LLVMBuilderRef agpu__compat_builder(LLVMModuleRef ir) {
#if LLVM_VERSION_MAJOR >= 24
  return LLVMCreateBuilderForModule(ir);
#else
  return LLVMCreateBuilderInContext(LLVMGetModuleContext(ir));
#endif
}

void agpu__compat_set_program_name(const char *name) {
  // Read out of this array by LLVM; the name is all that is left of it.
  const char *arguments[] = {name};
  LLVMParseCommandLineOptions(1, arguments, "");
}

void agpu__compat_set_row_major(bool row_major) {
  // An option of LLVM's pass, with columns as its default.
  const char *arguments[] = {"", "-matrix-default-layout=row-major"};
  if (row_major)
    LLVMParseCommandLineOptions(2, arguments, "");
}

static MlirLogicalResult keep_note(MlirDiagnostic diagnostic, void *data) {
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i)
    mlirDiagnosticPrint(mlirDiagnosticGetNote(diagnostic, i),
                        agpu__text_callback, data);
  return mlirLogicalResultSuccess();
}

void agpu__compat_listed_dialects(const char *note, agpu__text *names) {
  // "Available dialects: acc, affine, agpu (*), ... ; for more info ...", where
  // (*) marks dialects made at run time.
  const char *at = strstr(note, ": ");
  for (at = at ? at + 2 : ""; isalpha((unsigned char)*at);) {
    size_t size = strcspn(at, ", ;(");
    if (names->size)
      agpu__text_puts(names, ",");
    agpu__text_append(names, at, size);
    at += size;
    if (strncmp(at, " (*)", 4) == 0)
      at += 4;
    at += strspn(at, ", ");
  }
}

void agpu__compat_dialect_names(MlirContext context, agpu__text *names) {
  AGPU__SCOPED(text) note = {0};
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, keep_note, &note, NULL);
  MlirModule module =
      mlirModuleCreateParse(context, agpu__str("no_such_dialect.op"));
  mlirContextDetachDiagnosticHandler(context, handler);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  agpu__compat_listed_dialects(agpu__text_get(&note), names);
}
