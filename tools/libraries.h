//===- libraries.h - Shared libraries for a run -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_LIBRARIES_H
#define ASYNC_GPU_TOOLS_LIBRARIES_H

#include "lower/ir/text.h"

#include <stdbool.h>

/// Loads each library of the comma-separated list `paths` into the process,
/// for all to see. False with a message appended to `error`.
bool agpu__libraries_load(const char *paths, agpu__text *error);

#endif // ASYNC_GPU_TOOLS_LIBRARIES_H
