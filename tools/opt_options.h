//===- opt_options.h - What async-gpu-opt is asked to do --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_OPT_OPTIONS_H
#define ASYNC_GPU_TOOLS_OPT_OPTIONS_H

#include "command_line.h"
#include "expected_diagnostics.h"
#include "link_program.h"
#include "terminal.h"

#include "async_gpu/compiler.h"

#include "host/native/native.h"
#include "lower/pass/pipeline.h"

#define AGPU_OPT_NAME "async-gpu-opt"

/// Pictures of the plan (gpu/plan/picture.h).
typedef enum agpu__plan_form {
  AGPU_PLAN_NONE, ///< none is asked for
  AGPU_PLAN_DOT,
  AGPU_PLAN_SVG,
  AGPU_PLAN_JSON,
} agpu__plan_form;

typedef struct agpu__opt_options {
  const char *input;  ///< a path, or "-"
  const char *output; ///< a path, or "-"
  agpu__pipeline_list pipeline;
  agpu__pipeline_settings settings;
  bool has_pass_pipeline, has_pass_flags;
  bool split_input_file, verify_each, has_verify_each,
      allow_unregistered_dialect;
  bool remarks;             ///< on regions, streams, events and waits
  bool remarks_as_yaml;     ///< as --remark-format says
  const char *remarks_file; ///< they go to this file, as YAML; NULL: to stderr
  bool dump_pipeline;
  /// A reproducer is written here if a pass fails or crashes, or before the
  /// passes run; NULL: none.
  const char *crash_reproducer, *reproducer;
  bool local_reproducer;    ///< ... of the one pass
  bool run_reproducer;      ///< the passes are those that the input names
  bool bytecode;            ///< in place of text
  int64_t bytecode_version; ///< -1: the newest
  agpu__colour colour;
  bool print_debuginfo, print_generic, print_local_scope;
  agpu__text gpu_flags; ///< as async-gpu-lower takes them
  agpu_emit_kind emit;  ///< an object file, where `link` is on
  bool link;            ///< make an executable
  agpu__plan_form plan; ///< in place of what `emit` says
  agpu__link_settings link_settings;
  int level; ///< of optimisation, 0 to 3
  agpu__target target;
  agpu__verify_mode verify_diagnostics;
  agpu__instruments instruments;
} agpu__opt_options;

/// Reads the command line. False where nothing is left to do: after an error
/// message or what --help and its like print; `*out_status` is the exit status
/// then. The caller frees `*out_options` in any case.
bool agpu__opt_options_parse(int argc, char **argv,
                             agpu__opt_options *out_options, int *out_status);

/// Takes the passes of a pipeline with 'builtin.module(...)' around it. False
/// after a message.
bool agpu__opt_options_take_pipeline(agpu__opt_options *options,
                                     const char *text);

/// Prints why the pipeline could not be built.
void agpu__opt_report_pipeline_error(const agpu__opt_options *options,
                                     MlirContext context, const char *message);

void agpu__opt_options_free(agpu__opt_options *options);

#endif // ASYNC_GPU_TOOLS_OPT_OPTIONS_H
