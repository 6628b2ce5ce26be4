//===- target_options.h - What machine to compile for -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TARGET_OPTIONS_H
#define ASYNC_GPU_TOOLS_TARGET_OPTIONS_H

#include "opt_options.h"

#include <stdbool.h>

/// Looks at --target, --mcpu and --sysroot together, and has programs linked
/// for that target. False after a message.
bool agpu__target_options_check(agpu__opt_options *options);

#endif // ASYNC_GPU_TOOLS_TARGET_OPTIONS_H
