//===- terminal.c - Diagnostics in colour -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colours the text of a diagnostic as clang does: the place and the message
// bold, the severity in its colour, the caret green. Without colours the text
// is printed as it is.
//
//===----------------------------------------------------------------------===//

#include "terminal.h"

#include "command_line.h"
#include "progress_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define GREEN "\033[1;32m"

static agpu__colour chosen;

bool agpu__colour_parse(const char *tool, const char *value,
                        agpu__colour *out_colour) {
  static const char *const names[] = {"auto", "always", "never"};
  for (int i = 0; i < 3; ++i)
    if (strcmp(value, names[i]) == 0) {
      *out_colour = (agpu__colour)i;
      return true;
    }
  agpu__tool_error(tool, "option '--color' is auto, always or never, not '%s'",
                   value);
  return false;
}

void agpu__colour_set(agpu__colour colour) { chosen = colour; }

static bool uses_colour(void) {
  if (chosen != AGPU_COLOUR_AUTO)
    return chosen == AGPU_COLOUR_ALWAYS;
  const char *no = secure_getenv("NO_COLOR"), *terminal = secure_getenv("TERM");
  return !(no && *no) && terminal && strcmp(terminal, "dumb") != 0 &&
         isatty(STDERR_FILENO);
}

/// Where the first of the severities in the line stands, behind ": "; NULL:
/// there is none.
static const char *find_severity(const char *line, size_t size,
                                 const char **out_colour, size_t *out_size) {
  static const struct {
    const char *text, *colour;
  } severities[] = {{": error: ", "\033[1;31m"},
                    {": warning: ", "\033[1;35m"},
                    {": remark: ", "\033[1;34m"},
                    {": note: ", "\033[1;36m"}};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof(severities) / sizeof(*severities); ++i) {
    size_t length = strlen(severities[i].text);
    const char *found = memmem(line, size, severities[i].text, length);
    if (!found || (first && found + 2 >= first))
      continue;
    first = found + 2;
    *out_colour = severities[i].colour;
    *out_size = length - 3;
  }
  return first;
}

void agpu__print_diagnostic(const char *text, size_t size, void *data) {
  (void)data;
  agpu__progress_line_clear();
  if (!uses_colour()) {
    fwrite(text, 1, size, stderr);
    return;
  }
  for (const char *end = text + size; text < end;) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((newline ? newline : end) - text);
    const char *colour = NULL;
    size_t name = 0;
    const char *severity = find_severity(text, length, &colour, &name);
    if (severity) {
      const char *message = severity + name + 1;
      fprintf(stderr, BOLD "%.*s" PLAIN "%s%.*s" PLAIN BOLD "%.*s" PLAIN,
              (int)(severity - text), text, colour, (int)name + 1, severity,
              (int)(text + length - message), message);
    } else if (length && text[length - 1] == '^' &&
               strspn(text, " \t") == length - 1) {
      fprintf(stderr, "%.*s" GREEN "^" PLAIN, (int)length - 1, text);
    } else {
      fwrite(text, 1, length, stderr);
    }
    if (newline)
      fputc('\n', stderr);
    text += length + (newline != NULL);
  }
}
