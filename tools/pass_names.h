//===- pass_names.h - All passes that there are ---------------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_PASS_NAMES_H
#define ASYNC_GPU_TOOLS_PASS_NAMES_H

#include <stddef.h>

#include "mlir-c/IR.h"

/// Prints all passes, ours and upstream's, with what they do, to stdout.
void agpu__print_passes(void);

/// The nearest to `wanted` of all names of passes and pipelines and of what
/// `*best` is so far (agpu__nearest_name): a new string, or NULL.
char *agpu__nearest_pass(MlirContext context, const char *wanted,
                         const char *best, size_t distance);

#endif // ASYNC_GPU_TOOLS_PASS_NAMES_H
