//===- help.c - What tools say of themselves ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes to stdout and leaves nothing else behind. A process describes one
// tool, so that the form is one variable. Lines of the text have at most 100
// characters; the manual's are broken by who shows it.
//
//===----------------------------------------------------------------------===//

#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, TEXT_WIDTH = 80, COLUMN = 43 };

static enum { FORM_TEXT, FORM_MANUAL, FORM_OPTIONS } form;
/// Nothing stands below the heading yet.
static bool is_first;

/// Prints words, from column `column` on; `at` characters stand in the line.
static void print_words(const char *text, size_t at, size_t column,
                        size_t width) {
  bool first = true;
  while (*text) {
    size_t word = strcspn(text, " \n");
    if (!first && at + 1 + word > width) {
      printf("\n");
      at = 0;
      first = true;
    }
    if (first)
      at += (size_t)printf("%*s", (int)(column - at), "");
    else
      at += (size_t)printf(" ");
    at += (size_t)printf("%.*s", (int)word, text);
    first = false;
    text += word;
    // A paragraph's end.
    if (strncmp(text, "\n\n", 2) == 0) {
      printf("\n\n");
      at = 0;
      first = true;
    }
    text += strspn(text, " \n");
  }
  printf("\n");
}

/// Text for troff: no hyphen is broken or becomes another sign, and no line
/// begins with a request.
static void print_escaped(const char *text) {
  bool begins = true;
  for (; *text; ++text) {
    if (begins && (*text == '.' || *text == '\''))
      printf("\\&");
    if (strncmp(text, "\n\n", 2) == 0) {
      printf("\n.PP\n");
      text += strspn(text, "\n") - 1;
      begins = true;
      continue;
    }
    if (*text == '-' || *text == '\\')
      printf("\\%s", *text == '-' ? "-" : "e");
    else if (*text == '\'')
      printf("\\(aq");
    else
      putchar(*text);
    begins = *text == '\n';
  }
}

/// Bold, but for values in angle brackets, which are italic.
static void print_escaped_entry(const char *left) {
  printf("\\fB");
  for (const char *at = left; *at; ++at) {
    if (*at == '<')
      printf("\\fI");
    else if (*at == '>')
      printf("\\fB");
    else if (*at == '-')
      printf("\\-");
    else
      putchar(*at);
  }
  printf("\\fR\n");
}

bool agpu__help_is_manual(void) { return form == FORM_MANUAL; }

bool agpu__help_begin(const char *wanted, const char *tool, const char *version,
                      const char *purpose, const char *usage) {
  if (!wanted || strcmp(wanted, "text") == 0) {
    form = FORM_TEXT;
    printf("%s: %s\n\nUsage: %s %s\n", tool, purpose, tool, usage);
  } else if (strcmp(wanted, "man") == 0) {
    form = FORM_MANUAL;
    printf(".\\\" Printed by %s --help=man: do not edit.\n.TH ", tool);
    for (const char *at = tool; *at; ++at)
      putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"async-gpu %s\" \"async-gpu\"\n.SH NAME\n", version);
    print_escaped(tool);
    printf(" \\- ");
    print_escaped(purpose);
    printf("\n.SH SYNOPSIS\n.B ");
    print_escaped(tool);
    printf("\n");
    print_escaped(usage);
    printf("\n.SH DESCRIPTION\n");
    is_first = true;
  } else if (strcmp(wanted, "options") == 0) {
    form = FORM_OPTIONS;
  } else {
    agpu__tool_error(tool, "option '--help' is text, man or options, not '%s'",
                     wanted);
    return false;
  }
  return true;
}

void agpu__help_text(const char *text) {
  if (form == FORM_TEXT) {
    printf("\n");
    print_words(text, 0, 0, TEXT_WIDTH);
  } else if (form == FORM_MANUAL) {
    if (!is_first)
      printf(".PP\n");
    print_escaped(text);
    printf("\n");
    is_first = false;
  }
}

void agpu__help_heading(const char *heading) {
  if (form == FORM_TEXT) {
    printf("\n%s:\n", heading);
  } else if (form == FORM_MANUAL) {
    printf(".SH ");
    for (; *heading; ++heading)
      putchar(toupper((unsigned char)*heading));
    printf("\n");
    is_first = true;
  }
}

/// "--emit=<TAB>mlir|llvm<TAB>text", for each name in `left`.
static void print_for_shells(const char *left, const char *text) {
  size_t name = strcspn(left, "=[ <");
  const char *value = strchr(left, '<');
  bool joined = value && value > left && value[-1] == '=';
  printf("%.*s%s\t", (int)name, left, joined && !strchr(left, '[') ? "=" : "");
  const char *choice = strchr(left, '[');
  if (value)
    printf("%.*s", (int)strcspn(value + 1, ">"), value + 1);
  else if (choice)
    printf("%.*s", (int)strcspn(choice + 2, "]"), choice + 2);
  printf("\t%s\n", text);
}

static void print_entry(const char *left, const char *text, size_t indent) {
  size_t at = (size_t)printf("%*s%s", (int)indent, "", left);
  if (at >= COLUMN) {
    printf("\n");
    at = 0;
  }
  print_words(text, at, COLUMN, WIDTH);
}

void agpu__help_entry(const char *left, const char *text) {
  switch (form) {
  case FORM_TEXT: print_entry(left, text, 2); break;
  case FORM_MANUAL:
    printf(".TP\n");
    print_escaped_entry(left);
    print_escaped(text);
    printf("\n");
    break;
  case FORM_OPTIONS: print_for_shells(left, text); break;
  }
}

void agpu__help_nested_entry(const char *left, const char *text) {
  if (form == FORM_TEXT) {
    print_entry(left, text, 6);
  } else if (form == FORM_MANUAL) {
    printf(".RS\n.TP\n");
    print_escaped_entry(left);
    print_escaped(text);
    printf("\n.RE\n");
  }
}

void agpu__help_options(const agpu__option *options, size_t option_count) {
  for (size_t i = 0; i < option_count; ++i) {
    const agpu__option *option = &options[i];
    if (!option->help)
      continue;
    char left[128];
    // Short names, -O3 among them, are written with one dash.
    const char *dashes = strlen(option->name) > 2 ? "--" : "-";
    switch (option->value) {
    case AGPU_VALUE_NONE:
      snprintf(left, sizeof(left), "%s%s", dashes, option->name);
      break;
    case AGPU_VALUE_BOOL:
      snprintf(left, sizeof(left), "%s%s[=true|false]", dashes, option->name);
      break;
    case AGPU_VALUE_OPTIONAL:
      snprintf(left, sizeof(left), "%s%s[=<%s>]", dashes, option->name,
               option->value_name);
      break;
    case AGPU_VALUE_REQUIRED:
      snprintf(left, sizeof(left), "%s%s%s<%s>", dashes, option->name,
               dashes[1] ? "=" : " ", option->value_name);
      break;
    }
    agpu__help_entry(left, option->help);
  }
}

void agpu__help_end(const char *see_also) {
  if (form != FORM_MANUAL)
    return;
  printf(".SH SEE ALSO\n");
  print_escaped(see_also);
  printf(
      "\n.PP\nThe pages of async-gpu, in share/doc where it is installed.\n");
}
