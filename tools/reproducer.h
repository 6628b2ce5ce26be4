//===- reproducer.h - Files that repeat a failure -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module with the pipeline that was to run on it, in mlir-opt's form: what
// --run-reproducer reads.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_REPRODUCER_H
#define ASYNC_GPU_TOOLS_REPRODUCER_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef struct agpu__reproducer {
  const char *path;     ///< NULL: none is wanted
  const char *pipeline; ///< "builtin.module(...)"
  bool verify_each;
  agpu__text text; ///< of the file, as it would be now
  char op[128];    ///< that the next pass runs on
} agpu__reproducer;

/// Takes `module` as it is now as what the pipeline is to run on. A crash from
/// now on writes the file, too.
void agpu__reproducer_take(agpu__reproducer *self, MlirOperation module);

/// For agpu__instruments.on_pass, with an agpu__reproducer: takes the module
/// before each pass, with this pass alone.
void agpu__reproducer_on_pass(MlirOperation op, const char *pipeline,
                              void *self);

/// Writes the file, and says so. False after a message that it could not.
bool agpu__reproducer_write(const char *tool, const agpu__reproducer *self);

/// Takes the pipeline that `text`, a reproducer, names out of it, so that what
/// is left is the module, with all lines where they were; NULL, after a
/// message, if it names none. The caller frees it.
char *agpu__reproducer_pipeline(const char *tool, agpu__text *text);

void agpu__reproducer_free(agpu__reproducer *self);

#endif // ASYNC_GPU_TOOLS_REPRODUCER_H
