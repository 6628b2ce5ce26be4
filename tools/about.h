//===- about.h - What the tools say of themselves ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_ABOUT_H
#define ASYNC_GPU_TOOLS_ABOUT_H

#include "command_line.h"

/// Prints the help of async-gpu-opt: our passes and pipelines, then options.
/// False after a message where there is no such form (agpu__help_begin).
bool agpu__opt_print_help(const char *form, const agpu__option *options,
                          size_t option_count);

/// Prints the names of all dialects, upstream's and ours.
void agpu__opt_show_dialects(void);

/// Prints the version of `tool` and of the LLVM that is loaded.
void agpu__print_version(const char *tool);

/// Has fatal errors of LLVM end the process with a message of `tool` and exit
/// status 1, not with a stack trace and a signal.
void agpu__handle_fatal_errors(const char *tool);

#endif // ASYNC_GPU_TOOLS_ABOUT_H
