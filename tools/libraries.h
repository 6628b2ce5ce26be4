//===- libraries.h - Shared libraries for a run -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_LIBRARIES_H
#define ASYNC_GPU_TOOLS_LIBRARIES_H

#include "lower/text.h"

#include <stdbool.h>

/// Loads each library of the comma-separated list `paths` into the process,
/// for all to see. False with a message appended to `error`.
bool agpu__libraries_load(const char *paths, agpu__text *error);

/// Loads the next of upstream's runner utilities (printMemrefF32, rtclock,
/// ...): from beside libMLIR.so as it is loaded, else from where it was when
/// this was built. Takes a pointer to a size_t that begins at 0. False when
/// none is left.
bool agpu__libraries_load_next_utility(void *position);

#endif // ASYNC_GPU_TOOLS_LIBRARIES_H
