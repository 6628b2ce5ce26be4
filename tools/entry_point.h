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

/// Checks that `module`, which may be lowered or not, has a function `name`
/// with a body. False after a diagnostic: at the function, or of the file
/// `file`, with the functions that there are; `option` names another one, or is
/// NULL.
bool agpu__entry_point_exists(MlirOperation module, const char *name,
                              const char *file, const char *option);

/// Checks that the function `name` of the lowered `module` can begin a program:
/// no arguments, and a result that can be the exit status, or none. It becomes
/// public. False after a diagnostic.
bool agpu__entry_point_check(MlirOperation module, const char *name,
                             const char *file);

#endif // ASYNC_GPU_TOOLS_ENTRY_POINT_H
