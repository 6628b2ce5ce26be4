//===- terminal.h - Diagnostics in colour -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TERMINAL_H
#define ASYNC_GPU_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

typedef enum agpu__colour {
  AGPU_COLOUR_AUTO, ///< where stderr is a terminal and NO_COLOR is not set
  AGPU_COLOUR_ALWAYS,
  AGPU_COLOUR_NEVER,
} agpu__colour;

/// Reads "auto", "always" or "never". False after a message.
bool agpu__colour_parse(const char *tool, const char *value,
                        agpu__colour *out_colour);

/// What agpu__print_diagnostic does from now on; auto at first.
void agpu__colour_set(agpu__colour colour);

/// Prints a diagnostic (lower/pass/diagnostics.h) to stderr; `data` is not
/// used.
void agpu__print_diagnostic(const char *text, size_t size, void *data);

#endif // ASYNC_GPU_TOOLS_TERMINAL_H
