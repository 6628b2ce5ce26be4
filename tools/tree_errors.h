//===- tree_errors.h - Files of the IR that could not be written -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TREE_ERRORS_H
#define ASYNC_GPU_TOOLS_TREE_ERRORS_H

#include <stdbool.h>

/// From now on standard error is read for upstream's words about files of
/// --mlir-print-ir-tree-dir that it could not write, and passed on. False,
/// after a message, where there are no resources for that.
bool agpu__tree_errors_begin(const char *tool);

/// The end of that, also if it did not begin. False, after a message, where
/// there were such words.
bool agpu__tree_errors_end(const char *tool);

#endif // ASYNC_GPU_TOOLS_TREE_ERRORS_H
