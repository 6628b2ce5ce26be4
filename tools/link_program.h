//===- link_program.h - Object files to executables -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_LINK_PROGRAM_H
#define ASYNC_GPU_TOOLS_LINK_PROGRAM_H

#include "lower/ir/text.h"

#include <stdbool.h>

typedef struct agpu__link_settings {
  bool static_runtime; ///< the runtime in the program, not beside it
  /// What else to link: files and flags of the C compiler, between commas.
  const char *arguments;
  /// Of another machine than this one, as Debian names it:
  /// "aarch64-linux-gnu"; or NULL.
  const char *multiarch;
  const char *sysroot; ///< the root of its libraries, or NULL
} agpu__link_settings;

/// Links the object file in `object` with the runtime into an executable, by
/// the C compiler that the environment variable CC names (default: cc, or one
/// for the target), whose messages go to stderr. The program finds the runtime
/// library in its own folder, in ../lib beside that, or where it is now. On
/// failure: false, and a message is appended to `error`.
bool agpu__link_program(const agpu__text *object,
                        const agpu__link_settings *settings,
                        agpu__text *out_program, agpu__text *error);

#endif // ASYNC_GPU_TOOLS_LINK_PROGRAM_H
