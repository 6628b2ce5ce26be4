//===- libraries.h - Shared libraries for a run -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_LIBRARIES_H
#define ASYNC_GPU_TOOLS_LIBRARIES_H

/// Loads each library of the comma-separated list `paths` into the process,
/// for all to see. One that cannot be loaded is a warning of `tool` on stderr:
/// what the program calls and nobody defines is an error where it is compiled.
void agpu__libraries_load(const char *tool, const char *paths);

#endif // ASYNC_GPU_TOOLS_LIBRARIES_H
