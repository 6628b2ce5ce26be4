//===- compiler.c - Compiling from C --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of async_gpu/compiler.h. A compiler owns a context and hands out
// programs, each a module of it with its text; diagnostics of the call that
// runs become the message of its status. A context outlives its programs.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/source.h"

#include <stdlib.h>

/// A context keeps every type, attribute and place of the programs that were in
/// it. So there is a new one from time to time, when no program is left; making
/// one takes as long as a small program.
#define PROGRAMS_OF_A_CONTEXT 16

struct agpu_compiler {
  MlirContext context;
  agpu__diagnostics *diagnostics;
  agpu__text messages;              ///< diagnostics of the call that runs
  agpu_diagnostic_handler *handler; ///< gets them too, or NULL
  void *handler_data;
  bool remarks;
  size_t alive;  ///< programs
  size_t parsed; ///< programs, in this context
};

struct agpu_program {
  agpu_compiler *compiler;
  MlirModule module;
  char *name;
  char *text; ///< for the source lines in diagnostics
  size_t size;
};

static agpu_status out_of_memory(void) {
  return agpu_status_create(AGPU_STATUS_OUT_OF_RESOURCES, NULL,
                            "no memory for the compiler");
}

static void keep_message(const char *text, size_t size, void *data) {
  agpu_compiler *compiler = data;
  agpu__text_append(&compiler->messages, text, size);
  if (compiler->handler)
    compiler->handler(text, size, compiler->handler_data);
}

void agpu__program_begin(agpu_program *program) {
  agpu_compiler *compiler = program->compiler;
  agpu__text_free(&compiler->messages);
  agpu__diagnostics_set_source(compiler->diagnostics, program->name,
                               program->text, program->size);
}

agpu_status agpu__program_take_failure(agpu_program *program) {
  agpu__text *messages = &program->compiler->messages;
  if (!messages->size)
    agpu__text_puts(messages,
                    "<unknown>:0: error: failed for an unknown cause");
  if (messages->data[messages->size - 1] == '\n')
    messages->data[--messages->size] = '\0';
  // "file:line:col: error: ..."
  const char *end = strstr(messages->data, ": error: ");
  AGPU__OWNED char *location =
      end ? strndup(messages->data, (size_t)(end - messages->data)) : NULL;
  agpu_status status = agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT,
                                          location, "%s", messages->data);
  agpu__text_free(messages);
  return status;
}

static void open_context(agpu_compiler *compiler) {
  compiler->context = agpu__context_create();
  compiler->diagnostics =
      agpu__diagnostics_attach(compiler->context, keep_message, compiler);
  agpu__diagnostics_want_remarks(compiler->diagnostics, compiler->remarks);
  compiler->parsed = 0;
}

static void close_context(agpu_compiler *compiler) {
  agpu__diagnostics_detach(compiler->diagnostics);
  mlirContextDestroy(compiler->context);
}

agpu_status agpu_compiler_create(agpu_compiler **out_compiler) {
  agpu_compiler *compiler = calloc(1, sizeof(*compiler));
  *out_compiler = compiler;
  if (!compiler)
    return out_of_memory();
  agpu__context_register_passes();
  open_context(compiler);
  return AGPU_OK;
}

void agpu_compiler_set_diagnostic_handler(agpu_compiler *compiler,
                                          agpu_diagnostic_handler *handler,
                                          void *data, bool remarks) {
  compiler->handler = handler;
  compiler->handler_data = data;
  compiler->remarks = remarks;
  agpu__diagnostics_want_remarks(compiler->diagnostics, remarks);
}

void agpu_compiler_release(agpu_compiler *compiler) {
  if (!compiler)
    return;
  close_context(compiler);
  agpu__text_free(&compiler->messages);
  free(compiler);
}

static agpu_status parse(agpu_compiler *compiler, const char *name,
                         const char *text, size_t size, bool may_be_blank,
                         agpu_program **out_program) {
  *out_program = NULL;
  agpu_program *program = calloc(1, sizeof(*program));
  if (!program)
    return out_of_memory();
  if (compiler->alive == 0 && compiler->parsed >= PROGRAMS_OF_A_CONTEXT) {
    close_context(compiler);
    open_context(compiler);
  }
  program->compiler = compiler;
  ++compiler->alive;
  ++compiler->parsed;
  program->name = strdup(name);
  program->text = malloc(size + 1);
  program->size = size;
  if (!program->name || !program->text) {
    agpu_program_release(program);
    return out_of_memory();
  }
  memcpy(program->text, text, size);
  program->text[size] = '\0';
  agpu__program_begin(program);
  if (may_be_blank || !agpu__source_is_blank(program->text, size))
    program->module = agpu__source_parse(compiler->context, program->name,
                                         program->text, size);
  else
    agpu__source_report_blank(compiler->context, program->name);
  if (mlirModuleIsNull(program->module)) {
    agpu_status status = agpu__program_take_failure(program);
    agpu_program_release(program);
    return status;
  }
  *out_program = program;
  return AGPU_OK;
}

agpu_status agpu_program_parse(agpu_compiler *compiler, const char *name,
                               const char *text, size_t size,
                               agpu_program **out_program) {
  return parse(compiler, name, text, size, true, out_program);
}

agpu_status agpu__program_parse_file(agpu_compiler *compiler, const char *name,
                                     const char *text, size_t size,
                                     agpu_program **out_program) {
  return parse(compiler, name, text, size, false, out_program);
}

MlirOperation agpu__program_module(const agpu_program *program) {
  return mlirModuleGetOperation(program->module);
}

void agpu_program_release(agpu_program *program) {
  if (!program)
    return;
  if (!mlirModuleIsNull(program->module))
    mlirModuleDestroy(program->module);
  // The diagnostics must not read the text that goes away.
  agpu__diagnostics_set_source(program->compiler->diagnostics, "", "", 0);
  --program->compiler->alive;
  free(program->name);
  free(program->text);
  free(program);
}

agpu_status agpu_program_lower(agpu_program *program, const char *pipeline) {
  agpu__program_begin(program);
  MlirOperation op = mlirModuleGetOperation(program->module);
  AGPU__SCOPED(text) error = {0};
  bool built = false;
  MlirLogicalResult result = agpu__pipeline_run(op, pipeline, &built, &error);
  agpu_status status = AGPU_OK;
  if (!built)
    status = agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL, "%s",
                                agpu__text_get(&error));
  else if (mlirLogicalResultIsFailure(result))
    status = agpu__program_take_failure(program);
  return status;
}

/// What kinds of ops there are.
typedef struct contents {
  bool tensors, parallel;
} contents;

/// Whether an op has a tensor as a result, or a function as an argument.
static bool defines_tensor(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(agpu__result(op, i))))
      return true;
  if (!agpu__op_is(op, "func.func"))
    return false;
  MlirBlock entry = agpu__entry_block(op);
  for (intptr_t i = 0;
       !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i)
    if (mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(entry, i))))
      return true;
  return false;
}

static MlirWalkResult note_contents(MlirOperation op, void *data) {
  contents *found = data;
  found->tensors |= defines_tensor(op);
  found->parallel |=
      agpu__op_in_dialect(op, "gpu") || agpu__op_in_dialect(op, "async");
  return found->parallel ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

const char *agpu_program_get_front(agpu_program *program) {
  contents found = {.tensors = false};
  mlirOperationWalk(agpu__program_module(program), note_contents, &found,
                    MlirWalkPreOrder);
  return found.tensors && !found.parallel ? "async-gpu-from-linalg" : "";
}

agpu_status agpu_program_emit(agpu_program *program, agpu_emit_kind kind,
                              int level, char **out_data, size_t *out_size) {
  *out_data = NULL;
  *out_size = 0;
  if (level < 0 || level > 3)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "optimisation levels are 0 to 3, not %d", level);
  if ((unsigned)kind > AGPU_EMIT_OBJ)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "%d is not a kind of output", (int)kind);
  agpu__program_begin(program);
  agpu__text text = {0};
  MlirLogicalResult result = agpu__emit(mlirModuleGetOperation(program->module),
                                        kind, &(agpu__target){0}, level, &text);
  if (mlirLogicalResultIsFailure(result)) {
    agpu__text_free(&text);
    return agpu__program_take_failure(program);
  }
  *out_size = text.size;
  *out_data = agpu__text_take(&text);
  return AGPU_OK;
}

agpu_status agpu_jit_create(agpu_program *program, int level,
                            agpu_jit **out_jit) {
  *out_jit = NULL;
  if (level < 0 || level > 3)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, NULL,
                              "optimisation levels are 0 to 3, not %d", level);
  return agpu__program_jit(program, &(agpu__jit_settings){.level = level},
                           out_jit);
}

agpu_status agpu__program_jit(agpu_program *program,
                              const agpu__jit_settings *settings,
                              agpu_jit **out_jit) {
  agpu__program_begin(program);
  *out_jit = NULL;
  MlirOperation module = agpu__program_module(program);
  if (mlirLogicalResultIsSuccess(agpu__exports_build(module)))
    *out_jit = agpu__jit_create(module, settings);
  return *out_jit ? AGPU_OK : agpu__program_take_failure(program);
}

agpu_status agpu_jit_lookup(agpu_jit *jit, const char *name,
                            void **out_address) {
  agpu__text error = {0};
  *out_address = agpu__jit_lookup(jit, name, &error);
  if (*out_address)
    return AGPU_OK;
  agpu_status status = agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL, "%s",
                                          agpu__text_get(&error));
  agpu__text_free(&error);
  return status;
}
