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
  return agpu__format("'%.*s'%s%.*s", AGPU__STR(name),
                      symbol.length ? " @" : "", AGPU__STR(symbol));
}

static void table_pass_run(MlirOperation op, MlirExternalPass pass,
                           void *data) {
  table_pass *self = data;
  (void)agpu__progress_set(self->at);
  // Which of several ops it is.
  AGPU__OWNED char *on = self->pass->anchor ? text_of_op(op) : NULL;
  agpu__progress_set_op(on);
  agpu__templates *templates = agpu__templates_begin();
  MlirLogicalResult result =
      self->checks ? agpu__check_attributes(op) : mlirLogicalResultSuccess();
  if (mlirLogicalResultIsSuccess(result))
    result = self->pass->run ? self->pass->run(op)
                             : self->pass->run_with(op, self->values);
  if (mlirLogicalResultIsFailure(result))
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
// Printing, and notifying the observer
//===----------------------------------------------------------------------===//

/// A pass that looks at the IR.
typedef struct looking_pass {
  char *text;
  bool flag;
} looking_pass;

static looking_pass *looking_pass_data(const char *text, bool flag) {
  looking_pass *data = agpu__allocate(1, sizeof(*data));
  *data = (looking_pass){agpu__format("%s", text), flag};
  return data;
}

static void looking_pass_destruct(void *data) {
  free(((looking_pass *)data)->text);
  free(data);
}

static void *looking_pass_clone(void *data) {
  const looking_pass *from = data;
  return looking_pass_data(from->text, from->flag);
}

/// `identity` is aligned to eight bytes, as the addresses of type IDs are.
static MlirPass looking_pass_create(
    const uint64_t *identity, const char *name, const char *summary,
    void (*run)(MlirOperation op, MlirExternalPass pass, void *data),
    looking_pass *data) {
  MlirExternalPassCallbacks callbacks = {
      .construct = construct,
      .destruct = looking_pass_destruct,
      .clone = looking_pass_clone,
      .run = run,
  };
  return mlirCreateExternalPass(mlirTypeIDCreate(identity), agpu__str(name),
                                agpu__str(name), agpu__str(summary),
                                agpu__str(""), 0, NULL, callbacks, data);
}

/// The text is a title; with the flag the whole module is printed.
static void print_pass_run(MlirOperation op, MlirExternalPass pass,
                           void *data) {
  (void)pass;
  const looking_pass *self = data;
  if (self->flag)
    for (MlirOperation up = op; !mlirOperationIsNull(up);
         up = mlirOperationGetParentOperation(up))
      op = up;
  AGPU__SCOPED(text) text = {0};
  agpu__text_printf(&text, "// -----// IR Dump %s //----- //\n", self->text);
  mlirOperationPrint(op, agpu__text_callback, &text);
  agpu__text_puts(&text, "\n\n");
  fputs(text.data, stderr);
}

MlirPass agpu__print_pass_create(const char *when, const char *argument,
                                 bool module_scope) {
  static const uint64_t identity = 0;
  AGPU__OWNED char *title = agpu__format("%s %s", when, argument);
  return looking_pass_create(&identity, "async-gpu-print-ir", "Prints the IR",
                             print_pass_run,
                             looking_pass_data(title, module_scope));
}

/// The text is a pipeline; with the flag the observer is not told.
static void tell_pass_run(MlirOperation op, MlirExternalPass pass, void *data) {
  (void)pass;
  const looking_pass *self = data;
  const agpu__instruments *watch = agpu__instruments_get();
  if (watch->on_pass && !self->flag)
    watch->on_pass(op, self->text, watch->data);
}

MlirPass agpu__tell_pass_create(const char *pipeline, bool **out_silent) {
  static const uint64_t identity = 0;
  looking_pass *data = looking_pass_data(pipeline, false);
  *out_silent = &data->flag;
  return looking_pass_create(&identity, "async-gpu-tell",
                             "Tells of the pass behind it", tell_pass_run,
                             data);
}
