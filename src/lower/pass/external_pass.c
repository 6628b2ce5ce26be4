//===- external_pass.c - Rows of the pass table as MLIR passes ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the pass table, and a printer of IR, as passes of MLIR's pass
// manager, which owns them and their options.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/pass/progress.h"

#include <stdio.h>
#include <stdlib.h>

static void construct(void *data) { (void)data; }

//===----------------------------------------------------------------------===//
// Passes of the table
//===----------------------------------------------------------------------===//

typedef struct table_pass {
  const agpu_pass *pass;
  agpu_pass_values *values;
  bool checks;
  char *at;     ///< what the compiler is at while it runs
  char *behind; ///< the same when it has run; NULL if nothing follows
} table_pass;

static table_pass *table_pass_create(const agpu_pass *pass,
                                     agpu_pass_values *values, bool checks) {
  table_pass *data = agpu__allocate(1, sizeof(*data));
  data->pass = pass;
  data->values = values;
  data->checks = checks;
  data->at = agpu__format(AGPU__PROGRESS_PASS "%s", pass->argument);
  data->behind = NULL;
  return data;
}

static void table_pass_destruct(void *data) {
  AGPU__OWNED table_pass *self = data;
  agpu__pass_values_release(self->values);
  free(self->at);
  free(self->behind);
}

static void *table_pass_clone(void *data) {
  table_pass *from = data;
  return table_pass_create(from->pass, agpu__pass_values_clone(from->values),
                           from->checks);
}

/// "'gpu.module' @kernels", a new string.
static char *text_of_op(MlirOperation op) {
  MlirStringRef name = agpu__op_name(op),
                symbol = agpu__get_string(op, "sym_name");
  return agpu__format("'%.*s'%s%.*s", (int)name.length, name.data,
                      symbol.length ? " @" : "", (int)symbol.length,
                      symbol.data);
}

static void table_pass_run(MlirOperation op, MlirExternalPass pass,
                           void *data) {
  table_pass *self = data;
  (void)agpu__progress_set(self->at);
  // Which of several ops it is.
  AGPU__OWNED char *on = self->pass->anchor ? text_of_op(op) : NULL;
  agpu__progress_set_op(on);
  agpu__templates *templates = agpu__templates_begin();
  if ((self->checks &&
       mlirLogicalResultIsFailure(agpu__check_attributes(op))) ||
      mlirLogicalResultIsFailure(self->pass->run(op, self->values)))
    mlirExternalPassSignalFailure(pass);
  (void)agpu__templates_end(templates);
  agpu__progress_set_op(NULL);
  (void)agpu__progress_set(self->behind);
}

MlirPass agpu__external_pass_create(const agpu_pass *pass,
                                    agpu_pass_values *values, bool checks,
                                    char ***out_behind) {
  table_pass *data = table_pass_create(pass, values, checks);
  *out_behind = &data->behind;
  MlirExternalPassCallbacks callbacks = {
      .construct = construct,
      .destruct = table_pass_destruct,
      .clone = table_pass_clone,
      .run = table_pass_run,
  };
  // The row's address is the pass's identity.
  return mlirCreateExternalPass(
      mlirTypeIDCreate(pass), agpu__str(pass->argument),
      agpu__str(pass->argument), agpu__str(pass->summary),
      agpu__str(pass->anchor ? pass->anchor : "builtin.module"), 0, NULL,
      callbacks, data);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

typedef struct print_pass {
  char *title;
  bool module_scope;
} print_pass;

static print_pass *print_pass_data(char *title, bool module_scope) {
  print_pass *data = agpu__allocate(1, sizeof(*data));
  data->title = title;
  data->module_scope = module_scope;
  return data;
}

static void print_pass_destruct(void *data) {
  free(((print_pass *)data)->title);
  free(data);
}

static void *print_pass_clone(void *data) {
  print_pass *from = data;
  return print_pass_data(agpu__format("%s", from->title), from->module_scope);
}

static void print_pass_run(MlirOperation op, MlirExternalPass pass,
                           void *data) {
  (void)pass;
  print_pass *self = data;
  if (self->module_scope)
    for (MlirOperation up = op; !mlirOperationIsNull(up);
         up = mlirOperationGetParentOperation(up))
      op = up;
  AGPU__SCOPED(text) text = {0};
  agpu__text_printf(&text, "// -----// IR Dump %s //----- //\n", self->title);
  mlirOperationPrint(op, agpu__text_callback, &text);
  agpu__text_puts(&text, "\n\n");
  fputs(text.data, stderr);
}

MlirPass agpu__print_pass_create(const char *when, const char *argument,
                                 bool module_scope) {
  // Type IDs are addresses aligned to eight bytes.
  static const uint64_t identity = 0;
  MlirExternalPassCallbacks callbacks = {
      .construct = construct,
      .destruct = print_pass_destruct,
      .clone = print_pass_clone,
      .run = print_pass_run,
  };
  agpu__text title = {0};
  agpu__text_printf(&title, "%s %s", when, argument);
  return mlirCreateExternalPass(
      mlirTypeIDCreate(&identity), agpu__str("async-gpu-print-ir"),
      agpu__str("async-gpu-print-ir"), agpu__str("Prints the IR"),
      agpu__str(""), 0, NULL, callbacks,
      print_pass_data(agpu__text_take(&title), module_scope));
}

//===----------------------------------------------------------------------===//
// Notifying the observer
//===----------------------------------------------------------------------===//

typedef struct tell_pass {
  char *pipeline;
  bool silent;
} tell_pass;

static tell_pass *tell_pass_data(const char *pipeline, bool silent) {
  tell_pass *data = malloc(sizeof(*data));
  if (!data || !(data->pipeline = strdup(pipeline)))
    agpu__out_of_memory();
  data->silent = silent;
  return data;
}

static void tell_pass_destruct(void *data) {
  free(((tell_pass *)data)->pipeline);
  free(data);
}

static void *tell_pass_clone(void *data) {
  tell_pass *from = data;
  return tell_pass_data(from->pipeline, from->silent);
}

static void tell_pass_run(MlirOperation op, MlirExternalPass pass, void *data) {
  (void)pass;
  tell_pass *self = data;
  const agpu__instruments *watch = agpu__instruments_get();
  if (watch->on_pass && !self->silent)
    watch->on_pass(op, self->pipeline, watch->data);
}

MlirPass agpu__tell_pass_create(const char *pipeline, bool **out_silent) {
  static const uint64_t identity = 0;
  tell_pass *data = tell_pass_data(pipeline, false);
  *out_silent = &data->silent;
  MlirExternalPassCallbacks callbacks = {
      .construct = construct,
      .destruct = tell_pass_destruct,
      .clone = tell_pass_clone,
      .run = tell_pass_run,
  };
  return mlirCreateExternalPass(
      mlirTypeIDCreate(&identity), agpu__str("async-gpu-tell"),
      agpu__str("async-gpu-tell"), agpu__str("Tells of the pass behind it"),
      agpu__str(""), 0, NULL, callbacks, data);
}
