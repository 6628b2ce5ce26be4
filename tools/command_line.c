//===- command_line.c - Options of the tools ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "command_line.h"

#include "lower/ir/nearest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void agpu__tool_error(const char *tool, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: error: ", tool);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

static agpu__argument error_argument(void) {
  return (agpu__argument){.kind = AGPU_ARGUMENT_ERROR};
}

/// Fills in the value of a known option.
static agpu__argument take_value(agpu__command_line *line,
                                 agpu__argument argument) {
  const agpu__option *option = &line->options[argument.option];
  argument.on = true;
  switch (option->value) {
  case AGPU_VALUE_NONE:
    if (!argument.value)
      return argument;
    agpu__tool_error(line->tool, "option '--%s' takes no value, got '%s'",
                     option->name, argument.value);
    return error_argument();
  case AGPU_VALUE_BOOL:
    if (!argument.value || strcmp(argument.value, "true") == 0 ||
        strcmp(argument.value, "1") == 0)
      return argument;
    argument.on = false;
    if (strcmp(argument.value, "false") == 0 ||
        strcmp(argument.value, "0") == 0)
      return argument;
    agpu__tool_error(line->tool, "option '--%s' is true or false, not '%s'",
                     option->name, argument.value);
    return error_argument();
  case AGPU_VALUE_OPTIONAL: return argument;
  case AGPU_VALUE_REQUIRED:
    if (!argument.value && line->next < line->argc)
      argument.value = line->argv[line->next++];
    if (argument.value)
      return argument;
    agpu__tool_error(line->tool, "option '--%s' needs a value: --%s=<%s>",
                     option->name, option->name, option->value_name);
    return error_argument();
  }
  return error_argument();
}

agpu__argument agpu__command_line_next(agpu__command_line *line) {
  agpu__argument argument = {.kind = AGPU_ARGUMENT_END};
  if (line->next >= line->argc)
    return argument;
  const char *text = line->argv[line->next++];
  if (!line->only_inputs && strcmp(text, "--") == 0) {
    line->only_inputs = true;
    return agpu__command_line_next(line);
  }
  if (line->only_inputs || text[0] != '-' || text[1] == '\0') {
    argument.kind = AGPU_ARGUMENT_INPUT;
    argument.value = text;
    return argument;
  }
  const char *name = text + (text[1] == '-' ? 2 : 1);
  // Options of a pass can stand in braces right behind its name.
  size_t size = strcspn(name, "={");
  argument.value = name[size] ? name + size + (name[size] == '=') : NULL;
  for (size_t i = 0; i < line->option_count; ++i) {
    if (strlen(line->options[i].name) != size ||
        memcmp(line->options[i].name, name, size) != 0)
      continue;
    argument.kind = AGPU_ARGUMENT_OPTION;
    argument.option = i;
    return take_value(line, argument);
  }
  argument.kind = AGPU_ARGUMENT_UNKNOWN;
  argument.text = text;
  if (size == 0 || size >= sizeof(argument.name)) {
    agpu__tool_error(line->tool, "unknown option '%s'", text);
    return error_argument();
  }
  memcpy(argument.name, name, size);
  argument.name[size] = '\0';
  return argument;
}

bool agpu__report_level(const char *tool, const agpu__argument *argument) {
  if (strncmp(argument->text, "-O", 2) != 0)
    return false;
  agpu__tool_error(tool, "'%s' is no way to optimise: there are -O0 to -O3",
                   argument->text);
  return true;
}

void agpu__report_unknown_option(const agpu__command_line *line,
                                 const char *name) {
  const char *best = NULL;
  size_t distance = (size_t)-1;
  for (size_t i = 0; i < line->option_count; ++i)
    agpu__nearest_name(name, line->options[i].name, &best, &distance);
  agpu__tool_error(
      line->tool, "unknown option '--%s'%s%s%s (--help lists them)", name,
      best ? ", did you mean '--" : "", best ? best : "", best ? "'?" : "");
}

bool agpu__flush_stdout(const char *tool) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return true;
  // What failed earlier has left no reason.
  agpu__tool_error(tool, "cannot write to <stdout>: %s",
                   errno ? strerror(errno) : "an output failed");
  return false;
}
