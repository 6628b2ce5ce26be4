//===- gpu_flags.h - Flags on how kernels are compiled ----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of async-gpu-lower whose names begin with "gpu-" are flags of
// the tools too: --gpu-chip=sm_80,sm_90. And -g is --gpu-line-info.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_GPU_FLAGS_H
#define ASYNC_GPU_TOOLS_GPU_FLAGS_H

#include "command_line.h"
#include "lower/ir/text.h"
#include "lower/pass/pipeline.h"

#include <stdbool.h>

/// If `argument`, one that the tool itself does not know, is such a flag:
/// appends it to `options`, text as async-gpu-lower takes it, and returns true.
bool agpu__gpu_flag_take(const agpu__argument *argument, agpu__text *options);

/// Updates `best`, and its `distance` from `wanted`, where one of the flags is
/// nearer, as agpu__nearest_name does.
void agpu__gpu_flags_nearest(const char *wanted, const char **best,
                             size_t *distance);

/// Gives `options` to each element of `pipeline`, and of what is nested in it,
/// that is async-gpu-lower or async-gpu-kernels. False where there is none.
bool agpu__gpu_flags_apply(const char *options, agpu__pipeline_list *pipeline);

/// Prints the flags for --help.
void agpu__gpu_flags_print(void);

#endif // ASYNC_GPU_TOOLS_GPU_FLAGS_H
