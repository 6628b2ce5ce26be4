//===- plan_output.h - The plan as what a tool writes -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_PLAN_OUTPUT_H
#define ASYNC_GPU_TOOLS_PLAN_OUTPUT_H

#include "opt_options.h"

#include "lower/ir/text.h"

/// Pictures of the plan that the passes of a run made. Zero-initialise.
typedef struct agpu__plan_output {
  agpu__text dot, json;
  bool made;
  agpu__text dot_parts, json_parts; ///< graphs that were found behind that plan
} agpu__plan_output;

/// From now on the passes of this thread leave the picture of their plan, the
/// latest, in `self`.
void agpu__plan_output_watch(agpu__plan_output *self);

/// Appends the picture in the form `form` to `out`. False after a message: no
/// pass has made a plan, or what draws it is missing.
bool agpu__plan_output_write(const agpu__plan_output *self,
                             agpu__plan_form form, agpu__text *out);

void agpu__plan_output_free(agpu__plan_output *self);

#endif // ASYNC_GPU_TOOLS_PLAN_OUTPUT_H
