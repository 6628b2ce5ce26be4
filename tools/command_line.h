//===- command_line.h - Options of the tools --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Command lines as LLVM's tools take them: `-name` and `--name` are the same,
// a value follows behind '=' or, where it is required, as the next argument.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_COMMAND_LINE_H
#define ASYNC_GPU_TOOLS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum agpu__option_value {
  AGPU_VALUE_NONE,     ///< --name
  AGPU_VALUE_BOOL,     ///< --name, --name=true, --name=false
  AGPU_VALUE_OPTIONAL, ///< --name, --name=value
  AGPU_VALUE_REQUIRED, ///< --name=value, --name value
} agpu__option_value;

typedef struct agpu__option {
  const char *name; ///< without dashes
  agpu__option_value value;
  const char *value_name; ///< in the help: "file"
  const char *help;       ///< NULL: not shown
} agpu__option;

typedef enum agpu__argument_kind {
  AGPU_ARGUMENT_END,
  AGPU_ARGUMENT_OPTION,  ///< `option` and `value`
  AGPU_ARGUMENT_INPUT,   ///< `value`: a file name or "-"
  AGPU_ARGUMENT_UNKNOWN, ///< `name` and `value` of an option not in the table;
                         ///< in '--name{x}', `value` has the braces
  AGPU_ARGUMENT_ERROR,   ///< reported already
} agpu__argument_kind;

typedef struct agpu__argument {
  agpu__argument_kind kind;
  size_t option;     ///< index in the table
  char name[128];    ///< of an unknown option, without dashes
  const char *text;  ///< the argument as it was written
  const char *value; ///< NULL where there is none
  bool on;           ///< of a Boolean
} agpu__argument;

typedef struct agpu__command_line {
  const char *tool; ///< for messages
  const agpu__option *options;
  size_t option_count;
  int argc;
  char **argv;
  int next;         ///< index of the next argument; begins at 1
  bool only_inputs; ///< behind "--"
} agpu__command_line;

/// Takes the next argument off the command line.
agpu__argument agpu__command_line_next(agpu__command_line *line);

/// True, after a message, if `argument`, an unknown one, is -O with another
/// level than there are.
bool agpu__report_level(const char *tool, const agpu__argument *argument);

/// Reports `name`, which no option of `line` has, with the nearest that there
/// is.
void agpu__report_unknown_option(const agpu__command_line *line,
                                 const char *name);

/// Writes out what stdout holds back. False after a message that says why not.
bool agpu__flush_stdout(const char *tool);

/// Prints "tool: error: message" to stderr.
void agpu__tool_error(const char *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_TOOLS_COMMAND_LINE_H
