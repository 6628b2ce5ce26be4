//===- run_entries.h - The calls that a run makes -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_RUN_ENTRIES_H
#define ASYNC_GPU_TOOLS_RUN_ENTRIES_H

#include "measure.h"
#include "run_call.h"
#include "runner_options.h"

#include "async_gpu/compiler.h"

#include <stdbool.h>

/// The calls of a run, one for each entry of its options. Zero-initialise; free
/// with agpu__run_free.
typedef struct agpu__run {
  const agpu__runner_options *options;
  agpu__call **calls;
  agpu__times *times; ///< of each
  char **symbols;     ///< what the jit has to keep, and NULL
} agpu__run;

/// Prints the signatures that the options ask for to stdout. `file` is for
/// diagnostics. False after one.
bool agpu__run_print_signatures(const agpu__runner_options *options,
                                agpu_program *program, const char *file);

/// Finds the functions of the program, which is not lowered yet, checks what
/// the options say of them, and reads their inputs. False after a diagnostic.
bool agpu__run_prepare(agpu__run *run, const agpu__runner_options *options,
                       agpu_program *program, const char *file);

/// Makes the calls, prints what they give or writes it into files. False after
/// a message.
bool agpu__run_calls(agpu__run *run, agpu_jit *jit);

/// How long the parts of compiling took, in milliseconds.
typedef struct agpu__compile_times {
  double parse, lower, compile;
} agpu__compile_times;

/// Writes the report that the options ask for. False after a message.
bool agpu__run_report(const agpu__run *run, const agpu__compile_times *times);

void agpu__run_free(agpu__run *run);

#endif // ASYNC_GPU_TOOLS_RUN_ENTRIES_H
