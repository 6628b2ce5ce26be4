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
#include "instrument_flags.h"
#include "library_names.h"
#include "opt_options.h"
#include "output_file.h"
#include "plan_output.h"
#include "progress_line.h"
#include "remarks_file.h"
#include "reproducer.h"
#include "split_input.h"
#include "terminal.h"
#include "tree_errors.h"

#include "host/native/native.h"
#include "lower/ir/ir.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pipeline.h"
#include "lower/pass/source.h"
#include "lower/pass/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct driver {
  agpu__opt_options *options;
  MlirContext context;
  MlirPassManager passes;
  agpu__diagnostics *diagnostics;
  const char *name; ///< of the input
  agpu__text output;
  agpu__plan_output plan;
  char *pipeline; ///< as text
  agpu__reproducer reproducer;
  agpu__remarks_file *remarks; ///< or NULL
} driver;

/// Prints the pipeline as --pass-pipeline takes it, with ours expanded.
static void dump_pipeline(const agpu__text *expanded) {
  fprintf(stderr, "builtin.module(%s)\n", agpu__text_get(expanded));
}

static bool make_pass_manager(driver *d) {
  agpu__opt_options *o = d->options;
  agpu__context_register_passes();
  if (!agpu__instrument_flags_check(AGPU_OPT_NAME, d->context,
                                    &o->instruments) ||
      (o->instruments.printing.tree_directory &&
       !agpu__tree_errors_begin(AGPU_OPT_NAME)))
    return false;
  if (o->local_reproducer) {
    o->instruments.on_pass = agpu__reproducer_on_pass;
    o->instruments.data = &d->reproducer;
  }
  agpu__instruments_use(&o->instruments);
  d->passes =
      mlirPassManagerCreateOnOperation(d->context, agpu__str("builtin.module"));
  mlirPassManagerEnableVerifier(d->passes, o->verify_each);
  agpu__instruments_set_up(d->passes, false);
  if (o->plan)
    agpu__plan_output_watch(&d->plan);
  agpu__text error = {0}, expanded = {0};
  o->settings.expanded = &expanded;
  bool ok = agpu__pipeline_build(&o->pipeline,
                                 mlirPassManagerGetAsOpPassManager(d->passes),
                                 &o->settings, &error);
  if (!ok)
    agpu__opt_report_pipeline_error(o, d->context, agpu__text_get(&error));
  else if (o->dump_pipeline)
    dump_pipeline(&expanded);
  d->pipeline = agpu__format("builtin.module(%s)", agpu__text_get(&expanded));
  o->settings.expanded = NULL;
  agpu__text_free(&error);
  agpu__text_free(&expanded);
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
  if (!agpu__entry_point_check(module, "main", d->name))
    return false;
  agpu__text object = {0}, error = {0};
  bool ok = mlirLogicalResultIsSuccess(agpu__emit(
      module, AGPU_EMIT_OBJ, &d->options->target, d->options->level, &object));
  if (ok && !agpu__link_program(&object, &d->options->link_settings, &d->output,
                                &error)) {
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
    ok = false;
  }
  agpu__text_free(&object);
  agpu__text_free(&error);
  return ok;
}

/// As bytecode of the version that is asked for, or the newest. MLIR says what
/// is wrong.
static bool write_bytecode(const agpu__opt_options *o, MlirOperation module,
                           agpu__text *output) {
  MlirBytecodeWriterConfig config = mlirBytecodeWriterConfigCreate();
  if (o->bytecode_version >= 0)
    mlirBytecodeWriterConfigDesiredEmitVersion(config, o->bytecode_version);
  bool ok = mlirLogicalResultIsSuccess(mlirOperationWriteBytecodeWithConfig(
      module, config, agpu__text_callback, output));
  mlirBytecodeWriterConfigDestroy(config);
  return ok;
}

/// Runs the passes; a failure leaves a reproducer where one is wanted.
static bool run_passes(driver *d, MlirOperation module) {
  const agpu__opt_options *o = d->options;
  agpu__reproducer *r = &d->reproducer;
  r->verify_each = o->verify_each;
  if (o->reproducer) {
    r->path = o->reproducer;
    r->pipeline = d->pipeline;
    agpu__reproducer_take(r, module);
    if (!agpu__reproducer_write(AGPU_OPT_NAME, r))
      return false;
  }
  r->path = o->crash_reproducer;
  r->pipeline = d->pipeline;
  if (r->path)
    agpu__reproducer_take(r, module);
  if (d->remarks)
    agpu__remarks_file_set_module(d->remarks, module);
  bool ok =
      mlirLogicalResultIsSuccess(agpu__pipeline_run_manager(d->passes, module));
  if (ok && !o->verify_each && o->emit != AGPU_EMIT_MLIR)
    ok = mlirOperationVerify(module);
  if (!ok && r->path)
    agpu__reproducer_write(AGPU_OPT_NAME, r);
  agpu__crash_set_reproducer(NULL, NULL);
  return ok;
}

/// Parses and lowers one piece of the input and appends what comes out.
static bool process(driver *d, const char *text, size_t size) {
  MlirModule module = agpu__source_parse(d->context, d->name, text, size);
  if (mlirModuleIsNull(module))
    return false;
  MlirOperation op = mlirModuleGetOperation(module);
  // Before the passes, as they add functions.
  bool ok =
      !d->options->link || agpu__entry_point_exists(op, "main", d->name, NULL);
  if (d->options->link)
    agpu__library_names_check(op);
  ok = ok && run_passes(d, op);
  if (ok && d->options->plan)
    ok = agpu__plan_output_write(&d->plan, d->options->plan, &d->output);
  else if (ok && d->options->bytecode)
    ok = write_bytecode(d->options, op, &d->output);
  else if (ok && d->options->emit == AGPU_EMIT_MLIR)
    print_module(d->options, op, &d->output);
  else if (ok && d->options->link)
    ok = emit_program(d, op);
  else if (ok)
    ok = mlirLogicalResultIsSuccess(agpu__emit(op, d->options->emit,
                                               &d->options->target,
                                               d->options->level, &d->output));
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

/// False after a message: what comes out is nothing for a terminal.
static bool check_terminal(const agpu__opt_options *o) {
  if ((o->emit != AGPU_EMIT_OBJ && !o->bytecode) ||
      strcmp(o->output, "-") != 0 || !isatty(STDOUT_FILENO))
    return true;
  agpu__tool_error(
      AGPU_OPT_NAME,
      "the output is not text: name a file with -o, or redirect stdout");
  return false;
}

/// Takes the passes that the input names.
static bool take_reproduced(agpu__opt_options *o, agpu__text *input) {
  char *pipeline = agpu__reproducer_pipeline(AGPU_OPT_NAME, input);
  bool ok = pipeline && agpu__opt_options_take_pipeline(o, pipeline);
  o->settings.nest_implicitly = false;
  free(pipeline);
  return ok;
}

static bool write_file(const char *path, const agpu__text *text,
                       bool executable) {
  agpu__text error = {0};
  bool ok = agpu__output_write(path, agpu__text_get(text), text->size,
                               executable, &error);
  if (!ok)
    agpu__tool_error(AGPU_OPT_NAME, "%s", agpu__text_get(&error));
  agpu__text_free(&error);
  return ok;
}

static bool process_input(driver *d, const agpu__text *input) {
  const agpu__opt_options *o = d->options;
  if (agpu__source_is_blank(input->data, input->size) &&
      o->verify_diagnostics == AGPU_VERIFY_NONE) {
    agpu__diagnostics_set_source(d->diagnostics, d->name, input->data,
                                 input->size);
    agpu__source_report_blank(d->context, d->name);
    return false;
  }
  if (!o->split_input_file)
    return process_piece(input->data, input->size, true, d);
  pieces all = {.driver = d, .ok = true};
  agpu__split_input(input->data, input->size, visit_piece, &all);
  return all.ok;
}

static bool run(driver *d, agpu__text *input) {
  agpu__opt_options *o = d->options;
  agpu__text error = {0};
  // Passes that are wrong are said before files that are.
  if ((!o->run_reproducer && !make_pass_manager(d)) || !check_terminal(o))
    return false;
  bool ok = agpu__source_read(o->input, input, &error);
  agpu__progress_line_set("compiling");
  agpu__progress_line_clear();
  if (!ok)
    agpu__tool_error(AGPU_OPT_NAME, "%s", error.data);
  agpu__text_free(&error);
  if (ok && o->run_reproducer)
    ok = take_reproduced(o, input) && make_pass_manager(d);
  ok = ok && process_input(d, input);
  // Remarks are of use where a pass failed, too.
  if (d->remarks && d->pipeline)
    ok = write_file(o->remarks_file, agpu__remarks_file_text(d->remarks),
                    false) &&
         ok;
  return ok && write_file(o->output, &d->output, o->link);
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
  d.diagnostics =
      agpu__diagnostics_attach(d.context, agpu__print_diagnostic, NULL);
  agpu__diagnostics_want_remarks(d.diagnostics,
                                 options.remarks || options.remarks_file);
  if (options.remarks_file) {
    d.remarks = agpu__remarks_file_create();
    agpu__diagnostics_on_remark(d.diagnostics, agpu__remarks_file_add,
                                d.remarks);
  }
  agpu__text input = {0};
  if (!agpu__instrument_flags_print_ir(&options.instruments))
    agpu__progress_line_begin(AGPU_OPT_NAME, options.input);
  bool ok = run(&d, &input);
  ok = agpu__tree_errors_end(AGPU_OPT_NAME) && ok;
  agpu__progress_line_end();
  mlirPassManagerDestroy(d.passes);
  agpu__instruments_use(NULL);
  agpu__diagnostics_detach(d.diagnostics);
  mlirContextDestroy(d.context);
  agpu__text_free(&input);
  agpu__text_free(&d.output);
  agpu__plan_output_free(&d.plan);
  agpu__reproducer_free(&d.reproducer);
  agpu__remarks_file_release(d.remarks);
  free(d.pipeline);
  agpu__opt_options_free(&options);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
