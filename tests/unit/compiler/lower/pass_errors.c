//===- pass_errors.c - An error is a failure ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that emits an error has failed, even if it returns success; so has one
// that ignores that a template cannot be made.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/pass/pipeline.h"

#include "mlir-c/Diagnostics.h"

#include "check.h"

static MlirLogicalResult ignore_error(MlirOperation module) {
  (void)agpu__error(mlirOperationGetLocation(module), "this is wrong");
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult ignore_template(MlirOperation module) {
  agpu__ops ops = {0};
  agpu__collect(module, "arith.constant", &ops);
  CHECK_EQ(ops.count, 1);
  agpu__holes holes = {0};
  agpu__hole(&holes, "type", "nonsense");
  const agpu__template template = {
      .file = "lane_zero.mlir", .function = "of_lane_zero", .holes = &holes};
  (void)agpu__template_replace(ops.data[0], &template, NULL, 0);
  agpu__holes_free(&holes);
  agpu__ops_free(&ops);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult do_nothing(MlirOperation module) {
  (void)module;
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult count_error(MlirDiagnostic diagnostic, void *data) {
  *(int *)data += mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError;
  return mlirLogicalResultSuccess();
}

/// Runs `pass` on a small module; the number of errors goes to `out_errors`.
static bool succeeds(const agpu_pass *pass, int *out_errors) {
  *out_errors = 0;
  MlirContext context = agpu__context_create();
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
      context, count_error, out_errors, NULL);
  MlirModule module =
      mlirModuleCreateParse(context, agpu__str("func.func @f() -> i32 {\n"
                                               "  %c = arith.constant 1 : i32\n"
                                               "  return %c : i32\n"
                                               "}\n"));
  CHECK(!mlirModuleIsNull(module));
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(context, agpu__str("builtin.module"));
  agpu__text error = {0};
  agpu_pass_values *values = agpu__pass_values_create(
      pass->argument, pass->options, pass->option_count, NULL, &error);
  CHECK(values);
  char **behind;
  mlirPassManagerAddOwnedPass(
      manager, agpu__external_pass_create(pass, values, true, &behind));
  MlirLogicalResult result =
      agpu__pipeline_run_manager(manager, mlirModuleGetOperation(module));
  agpu__text_free(&error);
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDetachDiagnosticHandler(context, handler);
  mlirContextDestroy(context);
  return mlirLogicalResultIsSuccess(result);
}

int main(void) {
  static const agpu_pass error_pass = {.argument = "ignores-an-error",
                                       .summary = "Ignores an error",
                                       .run = ignore_error};
  static const agpu_pass template_pass = {.argument = "ignores-a-template",
                                          .summary = "Ignores a template",
                                          .run = ignore_template};
  static const agpu_pass good_pass = {
      .argument = "does-nothing", .summary = "Does nothing", .run = do_nothing};
  int errors;
  CHECK(!succeeds(&error_pass, &errors));
  CHECK_EQ(errors, 1);
  CHECK(!succeeds(&template_pass, &errors));
  CHECK(errors >= 1);
  CHECK(succeeds(&good_pass, &errors));
  CHECK_EQ(errors, 0);
  return 0;
}
