//===- async_gpu_opt.c - The pass driver ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-opt: reads a module, runs passes on it and writes what comes out,
// with mlir-opt's habits.
//
//===----------------------------------------------------------------------===//

#include "about.h"
#include "crash.h"
#include "entry_point.h"
#include "opt_options.h"
#include "output_file.h"
#include "plan_output.h"
#include "split_input.h"

#include "host/native/emit.h"
#include "lower/ir/ir.h"
#include "lower/pass/context.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"
#include "lower/pass/upstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct driver {
  const agpu__opt_options *options;
  MlirContext context;
  MlirPassManager passes;
  agpu__diagnostics *diagnostics;
  const char *name; ///< of the input
  agpu__text output;
  agpu__plan_output plan;
} driver;

static void print_to_stderr(const char *text, size_t size, void *data) {
  (void)data;
  fwrite(text, 1, size, stderr);
}

/// A misspelt name would print nothing.
static bool check_names(MlirContext context, const char *option,
                        const agpu__name_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    if (!agpu__pass_exists(context, list->names[i])) {
      agpu__tool_error(AGPU_OPT_NAME, "option '--%s': no pass is called '%s'",
                       option, list->names[i]);
      return false;
    }
  return true;
}

/// What the options ask of a pass manager.
static void set_up(MlirPassManager manager, void *data) {
  const agpu__opt_options *o = data;
  if (o->timing)
    mlirPassManagerEnableTiming(manager);
  const agpu__ir_printing *p = &o->ir_printing;
  if (p->before_all || p->after_all || p->after_change || p->after_failure)
    agpu__compat_enable_ir_printing(manager, p);
}

/// The same of those inside, but that a tree of files holds the outer one's
/// alone: each manager numbers its files from 0.
static void set_up_inside(MlirPassManager manager, void *data) {
  const agpu__opt_options *o = data;
  if (!o->ir_printing.tree_directory)
    set_up(manager, data);
}

static bool make_pass_manager(driver *d) {
  const agpu__opt_options *o = d->options;
  agpu__context_register_passes();
  if (!check_names(d->context, "mlir-print-ir-before", &o->print_before) ||
      !check_names(d->context, "mlir-print-ir-after", &o->print_after))
    return false;
  d->passes =
      mlirPassManagerCreateOnOperation(d->context, agpu__str("builtin.module"));
  mlirPassManagerEnableVerifier(d->passes, o->verify_each);
  set_up(d->passes, (void *)o);
  agpu__upstream_on_manager(set_up_inside, (void *)o, &o->settings);
  if (o->plan)
    agpu__plan_output_watch(&d->plan);
  agpu__text error = {0};
  bool ok = agpu__pipeline_build(&o->pipeline,
                                 mlirPassManagerGetAsOpPassManager(d->passes),
                                 &o->settings, &error);
  if (!ok)
    agpu__opt_report_pipeline_error(o, d->context, agpu__text_get(&error));
  agpu__text_free(&error);
  return ok;
}

static void print_module(const agpu__opt_options *o, MlirOperation module,
                         agpu__text *output) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (o->print_debuginfo)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  if (o->print_generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  if (o->print_local_scope)
    mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOperationPrintWithFlags(module, flags, agpu__text_callback, output);
  agpu__text_puts(output, "\n");
  mlirOpPrintingFlagsDestroy(flags);
}

/// An executable, from a lowered module.
static bool emit_program(driver *d, MlirOperation module) {
  if (mlirOperationIsNull(agpu__lookup(module, "main"))) {
    agpu__error(
        mlirLocationFileLineColGet(d->context, agpu__str(d->name), 1, 1),
        "an executable begins with a function 'main', which is not "
        "here");
    return false;
  }
  if (!agpu__entry_point_check(module, "main", d->name))
    return false;
  agpu__text object = {0}, error = {0};
  bool ok = mlirLogicalResultIsSuccess(agpu__emit(
      module, AGPU_EMIT_OBJ, d->options->cpu, d->options->level, &object));
  if (ok && !agpu__link_program(&object, &d->options->link_settings, &d->output,
                                &error)) {
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
    ok = false;
  }
  agpu__text_free(&object);
  agpu__text_free(&error);
  return ok;
}

/// Parses and lowers one piece of the input and appends what comes out.
static bool process(driver *d, const char *text, size_t size) {
  MlirModule module = agpu__source_parse(d->context, d->name, text, size);
  if (mlirModuleIsNull(module))
    return false;
  MlirOperation op = mlirModuleGetOperation(module);
  bool ok =
      mlirLogicalResultIsSuccess(agpu__pipeline_run_manager(d->passes, op));
  if (ok && !d->options->verify_each && d->options->emit != AGPU_EMIT_MLIR)
    ok = mlirOperationVerify(op);
  if (ok && d->options->plan)
    ok = agpu__plan_output_write(&d->plan, d->options->plan, &d->output);
  else if (ok && d->options->emit == AGPU_EMIT_MLIR)
    print_module(d->options, op, &d->output);
  else if (ok && d->options->link)
    ok = emit_program(d, op);
  else if (ok)
    ok = mlirLogicalResultIsSuccess(agpu__emit(
        op, d->options->emit, d->options->cpu, d->options->level, &d->output));
  mlirModuleDestroy(module);
  return ok;
}

/// One piece, with the diagnostics that it is to cause.
static bool process_piece(const char *text, size_t size, bool is_first,
                          void *data) {
  driver *d = data;
  agpu__verify_mode mode = d->options->verify_diagnostics;
  agpu__expected *expected = NULL;
  if (!is_first)
    agpu__text_puts(&d->output, "// -----\n");
  agpu__diagnostics_set_source(d->diagnostics, d->name, text, size);
  if (mode != AGPU_VERIFY_NONE)
    expected = agpu__expected_create(d->diagnostics, text, size, mode);
  bool ok = process(d, text, size);
  if (expected)
    ok = agpu__expected_verify(expected);
  agpu__expected_release(expected);
  // The text goes away before the next piece comes.
  agpu__diagnostics_set_source(d->diagnostics, d->name, "", 0);
  return ok;
}

typedef struct pieces {
  driver *driver;
  bool ok;
} pieces;

/// A failing piece does not keep the others from being looked at.
static bool visit_piece(const char *text, size_t size, bool is_first,
                        void *data) {
  pieces *all = data;
  if (!process_piece(text, size, is_first, all->driver))
    all->ok = false;
  return true;
}

static bool run(driver *d, agpu__text *input) {
  const agpu__opt_options *o = d->options;
  agpu__text error = {0};
  if (o->emit == AGPU_EMIT_OBJ && strcmp(o->output, "-") == 0 &&
      isatty(STDOUT_FILENO)) {
    agpu__tool_error(
        AGPU_OPT_NAME,
        "the output is not text: name a file with -o, or redirect stdout");
    return false;
  }
  bool ok = agpu__source_read(o->input, input, &error);
  if (!ok)
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
  else if (agpu__source_is_blank(input->data, input->size) &&
           o->verify_diagnostics == AGPU_VERIFY_NONE) {
    agpu__diagnostics_set_source(d->diagnostics, d->name, input->data,
                                 input->size);
    agpu__source_report_blank(d->context, d->name);
    ok = false;
  } else if (o->split_input_file) {
    pieces all = {.driver = d, .ok = true};
    agpu__split_input(input->data, input->size, visit_piece, &all);
    ok = all.ok;
  } else {
    ok = process_piece(input->data, input->size, true, d);
  }
  if (ok && !agpu__output_write(o->output, agpu__text_get(&d->output),
                                d->output.size, o->link, &error)) {
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
    ok = false;
  }
  agpu__text_free(&error);
  return ok;
}

int main(int argc, char **argv) {
  agpu__opt_options options;
  int status = EXIT_SUCCESS;
  agpu__handle_fatal_errors(AGPU_OPT_NAME);
  agpu__temporary_remove_on_signals();
  agpu__crash_watch(AGPU_OPT_NAME);
  if (!agpu__opt_options_parse(argc, argv, &options, &status)) {
    agpu__opt_options_free(&options);
    if (status == EXIT_SUCCESS && !agpu__flush_stdout(AGPU_OPT_NAME))
      status = EXIT_FAILURE;
    return status;
  }
  agpu__compat_set_program_name(AGPU_OPT_NAME);
  driver d = {.options = &options,
              .name = agpu__source_name(options.input),
              .context = agpu__context_create()};
  agpu__crash_set_input(d.name);
  mlirContextSetAllowUnregisteredDialects(d.context,
                                          options.allow_unregistered_dialect);
  d.diagnostics = agpu__diagnostics_attach(d.context, print_to_stderr, NULL);
  agpu__diagnostics_want_remarks(d.diagnostics, options.remarks);
  agpu__text input = {0};
  bool ok = make_pass_manager(&d) && run(&d, &input);
  mlirPassManagerDestroy(d.passes);
  agpu__diagnostics_detach(d.diagnostics);
  mlirContextDestroy(d.context);
  agpu__text_free(&input);
  agpu__text_free(&d.output);
  agpu__plan_output_free(&d.plan);
  agpu__opt_options_free(&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
