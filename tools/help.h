//===- help.h - What tools say of themselves --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of a tool, in three forms: the text of --help, a page of the
// manual for --help=man, and for --help=options a line for each option, which
// the completion of shells reads:
//
//     --emit=<TAB>mlir|llvm|ptx<TAB>Write the module, or what is made of it
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_HELP_H
#define ASYNC_GPU_TOOLS_HELP_H

#include "command_line.h"

#include <stdbool.h>

/// The row of the table of options that asks for help.
#define AGPU_HELP_OPTION                                                       \
  {"help", AGPU_VALUE_OPTIONAL, "text|man|options",                            \
   "Print this, or it as a page of the manual, or for shells"}

/// Begins a description on stdout in the form that the value of --help names;
/// NULL is text. `usage` stands behind the tool's name. False after a message
/// where there is no such form.
bool agpu__help_begin(const char *form, const char *tool, const char *version,
                      const char *purpose, const char *usage);

/// Text in paragraphs, with an empty line between two; lines are broken anew.
void agpu__help_text(const char *text);

void agpu__help_heading(const char *heading);

/// `left` as it is written on the command line, and what it does.
void agpu__help_entry(const char *left, const char *text);

/// What belongs to the entry before: an option of a pass.
void agpu__help_nested_entry(const char *left, const char *text);

/// An entry for each option that has a help text.
void agpu__help_options(const agpu__option *options, size_t option_count);

/// What a page of the manual has at its end, and other forms do not:
/// `see_also` as "async-gpu-opt(1), ...".
void agpu__help_end(const char *see_also);

/// Whether a manual page is written, which has room for more.
bool agpu__help_is_manual(void);

#endif // ASYNC_GPU_TOOLS_HELP_H
