//===- pass.h - The table of async-gpu's passes -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass is one row of one table (pass_table.c): name, summary, options and
// the function that runs it. The tools, the pipeline parser and the manual read
// the table; nothing else names a pass. What else the manual says of it, with
// an example of the IR before and after, is in NAME.md beside the file with its
// row.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PASS_H
#define ASYNC_GPU_LOWER_PASS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum agpu_option_kind {
  AGPU_OPTION_BOOL,   ///< true or false; a bare name means true
  AGPU_OPTION_INT,    ///< decimal int64_t, 0 or more
  AGPU_OPTION_STRING, ///< any text; lists are comma-separated strings
  AGPU_OPTION_WORD,   ///< one of the words of the default value
} agpu_option_kind;

/// One option of a pass or named pipeline.
typedef struct agpu_pass_option {
  const char *name; ///< as written: "gpu-chip"
  agpu_option_kind kind;
  /// As text, never NULL. Of a WORD all that it may be, the default first:
  /// "auto|coroutines".
  const char *default_value;
  const char *description; ///< one sentence
} agpu_pass_option;

/// How much of `default_value` is the default.
int agpu__pass_option_default_size(const agpu_pass_option *option);

/// The values of one use of a pass, by position in its option list.
typedef struct agpu_pass_values {
  const agpu_pass_option *options;
  size_t count;
  const char *const *texts; ///< validated text of each value, never NULL
} agpu_pass_values;

/// The value of option `name`, which the pass has. For passes' own use.
bool agpu__pass_value_bool(const agpu_pass_values *values, const char *name);
int64_t agpu__pass_value_int(const agpu_pass_values *values, const char *name);
const char *agpu__pass_value_string(const agpu_pass_values *values,
                                    const char *name);

/// Of passes that place memory.
#define AGPU__MEMORY_OPTION                                                    \
  {"memory", AGPU_OPTION_WORD, "discrete|" AGPU__MEMORY_UNIFIED,               \
   "Where memory of the host lies that kernels are given: discrete, which is " \
   "in buffers on the device, with copies; or unified for devices that reach " \
   "all of the host's memory: where it is."}
#define AGPU__MEMORY_UNIFIED "unified"

/// The fields of a pass or pipeline that say what its options are.
#define AGPU__OPTIONS(array)                                                   \
  .options = (array), .option_count = sizeof(array) / sizeof(*(array))

/// One pass. It runs on the `builtin.module`, or on each op called `anchor` in
/// it, whose surroundings it then leaves alone. It emits its diagnostics at the
/// ops they concern (mlirEmitError), and returns failure after an error.
typedef struct agpu_pass {
  const char *argument; ///< "async-gpu-regions", without dashes before
  const char *anchor;   ///< "gpu.module"; NULL: "builtin.module"
  const char *summary;  ///< one line, no full stop
  const agpu_pass_option *options;
  size_t option_count;
  /// One of the two; `run` of a pass without options.
  MlirLogicalResult (*run)(MlirOperation op);
  MlirLogicalResult (*run_with)(MlirOperation op,
                                const agpu_pass_values *values);
} agpu_pass;

/// A named pipeline: a sequence of passes, ours and upstream's, under a name.
typedef struct agpu_pipeline {
  const char *argument;
  const char *anchor; ///< as of a pass
  const char *summary;
  const agpu_pass_option *options;
  size_t option_count;
  /// "a,b{x=<option>},[option:c,]func.func(d)", with an option's value in its
  /// place, and what is in brackets where the option before the colon is true.
  const char *text;
} agpu_pipeline;

/// All passes and pipelines, in the order in which a program meets them.
extern const agpu_pass *const agpu__passes[];
extern const size_t agpu__pass_count;
extern const agpu_pipeline *const agpu__pipelines[];
extern const size_t agpu__pipeline_count;

//===----------------------------------------------------------------------===//
// Which runtime the program will run on
//===----------------------------------------------------------------------===//

/// The option `abi` of the passes that make runtime calls.
#define AGPU__ABI_OPTION                                                       \
  {"abi", AGPU_OPTION_STRING, "",                                              \
   "Runtime that the program will run on: async-gpu, or upstream for a "       \
   "program without GPU ops that calls only what upstream's "                  \
   "libmlir_async_runtime has; errors have no message there. Empty for what "  \
   "an earlier pass was told, async-gpu for the first."}

/// Reads it, and records it on the module. Fails with a diagnostic at `module`
/// when it is neither of the two or not what an earlier pass was told, and at a
/// function where it is `upstream` while that has a stream.
MlirLogicalResult agpu__abi_option(MlirOperation module,
                                   const agpu_pass_values *values,
                                   bool *out_upstream);

//===----------------------------------------------------------------------===//
// Upstream's passes inside of ours
//===----------------------------------------------------------------------===//

/// Runs the passes of `pipeline`, text without the op around it, on `op`, one
/// by one and without verifying in between. For a pass of ours, which knows
/// what the op holds, so that nothing runs that would find nothing to do. An
/// empty text does nothing. What is watched (pipeline.h) is watched inside
/// too.
MlirLogicalResult agpu__upstream_run(MlirOperation op, const char *pipeline);

#endif // ASYNC_GPU_LOWER_PASS_H
