//===- pipeline_builder.h - From a pipeline's text to passes ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills a pass manager from a parsed pipeline: async-gpu's passes become
// external passes, its named pipelines are expanded, and everything else goes
// to upstream's own pipeline parser in runs as long as possible. Upstream's
// passes must be registered (agpu__context_register_passes). What is watched
// while they run is in instruments.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PIPELINE_BUILDER_H
#define ASYNC_GPU_LOWER_PIPELINE_BUILDER_H

#include "lower/ir/text.h"
#include "lower/pass/pass.h"
#include "lower/pass/pipeline_parser.h"

#include "mlir-c/Pass.h"

/// Upstream's pass that writes a file: the one that its option `filename`
/// names.
#define AGPU__SNAPSHOT_PASS "snapshot-op-locations"

typedef struct agpu__pipeline_settings {
  /// Elements are single passes of a command line: one that runs on another op
  /// than the module is nested under it.
  bool nest_implicitly;
  /// The op that the manager runs on; NULL: builtin.module.
  const char *anchor;
  /// What is built is appended here as text, with pipelines of ours expanded;
  /// NULL: nowhere.
  agpu__text *expanded;
} agpu__pipeline_settings;

/// Adds the elements of `list`, which run on `builtin.module`. False on an
/// unknown pass or a bad option, with a message appended to `error`; the pass
/// manager is then good only for being destroyed.
bool agpu__pipeline_build(const agpu__pipeline_list *list,
                          MlirOpPassManager manager,
                          const agpu__pipeline_settings *settings,
                          agpu__text *error);

/// Runs the pipeline `text` ("a,b{x=1},func.func(c)") on `module` and verifies
/// what comes out. A malformed pipeline leaves `*out_built` false and appends a
/// message to `error`; passes that fail emit diagnostics.
MlirLogicalResult agpu__pipeline_run(MlirOperation module, const char *text,
                                     bool *out_built, agpu__text *error);

/// Runs `manager` on `module`, and makes sure that a failure has a diagnostic
/// and that an error is a failure, whatever the pass that emitted it returned.
MlirLogicalResult agpu__pipeline_run_manager(MlirPassManager manager,
                                             MlirOperation module);

/// True if `name` is a pass or pipeline, ours or upstream's.
bool agpu__pass_exists(MlirContext context, const char *name);

/// The row of the pass or pipeline called `argument`, or NULL.
const agpu_pass *agpu__find_pass(const char *argument);
const agpu_pipeline *agpu__find_pipeline(const char *argument);

#endif // ASYNC_GPU_LOWER_PIPELINE_BUILDER_H
