//===- entry_point.h - The function that a run begins with ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_ENTRY_POINT_H
#define ASYNC_GPU_TOOLS_ENTRY_POINT_H

#include "mlir-c/IR.h"

#include <stdbool.h>

typedef enum agpu__result_kind {
  AGPU_RESULT_AUTO, ///< whatever the function has
  AGPU_RESULT_VOID,
  AGPU_RESULT_I32,
  AGPU_RESULT_I64,
  AGPU_RESULT_F32,
  AGPU_RESULT_F64,
} agpu__result_kind;

/// Reads "void", "i32", "i64", "f32" or "f64".
bool agpu__result_kind_parse(const char *text, agpu__result_kind *out_kind);

/// Checks that `module`, which may be lowered or not, has a function `name`
/// with a body. False after a diagnostic: at the function, or at the beginning
/// of the file `file`.
bool agpu__entry_point_exists(MlirOperation module, const char *name,
                              const char *file);

/// Checks that the function `name` of the lowered `module` can be called as it
/// is: no arguments, a result that can be printed, and that of kind `wanted`
/// unless it is AUTO. It becomes public. False after a diagnostic.
bool agpu__entry_point_check(MlirOperation module, const char *name,
                             const char *file, agpu__result_kind wanted,
                             agpu__result_kind *out_kind);

/// Calls the function at `address` and prints its result and a newline to
/// stdout, as mlir-runner does.
void agpu__entry_point_call(void *address, agpu__result_kind kind);

#endif // ASYNC_GPU_TOOLS_ENTRY_POINT_H
