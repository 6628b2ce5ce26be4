//===- instrument_flags.h - What to watch while passes run ---------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags of both tools that say what of the compiler is shown.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_INSTRUMENT_FLAGS_H
#define ASYNC_GPU_TOOLS_INSTRUMENT_FLAGS_H

#include "command_line.h"

#include "lower/pass/pipeline.h"

#include "mlir-c/IR.h"

typedef enum agpu__flag_use {
  AGPU_FLAG_OTHER, ///< it is none of these
  AGPU_FLAG_TAKEN,
  AGPU_FLAG_ERROR, ///< reported
} agpu__flag_use;

/// Takes the argument that `line` has just given as an unknown one, if it is
/// one of these flags. A value of its own is taken off `line`.
agpu__flag_use agpu__instrument_flag_take(agpu__command_line *line,
                                          agpu__instruments *instruments);

/// Makes the folder of --mlir-print-ir-tree-dir. False, after a message, where
/// that fails, or a pass that IR is to be printed around does
/// not exist: a misspelt name would print nothing.
bool agpu__instrument_flags_check(const char *tool, MlirContext context,
                                  const agpu__instruments *instruments);

/// True if passes print to stderr.
bool agpu__instrument_flags_print_ir(const agpu__instruments *instruments);

/// Prints what they mean, for --help.
void agpu__instrument_flags_print(void);

/// For a message about a flag that does not exist (agpu__nearest_name).
void agpu__instrument_flags_nearest(const char *wanted, const char **best,
                                    size_t *distance);

void agpu__instrument_flags_free(agpu__instruments *instruments);

#endif // ASYNC_GPU_TOOLS_INSTRUMENT_FLAGS_H
