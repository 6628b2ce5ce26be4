//===- expected_diagnostics.c - --verify-diagnostics ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "expected_diagnostics.h"

#include "lower/ir/text.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef struct expectation {
  MlirDiagnosticSeverity severity;
  size_t line;    ///< where the diagnostic is to be; 0: nowhere in the text
  size_t at_line; ///< where the comment stands
  char *pattern;  ///< part of the message, or an extended regular expression
  bool is_regex, met;
} expectation;

struct agpu__expected {
  expectation *items;
  size_t count, capacity;
  bool malformed, unexpected;
  agpu__verify_mode mode;
  agpu__diagnostics *diagnostics;
};

static const MlirDiagnosticSeverity severities[] = {
    MlirDiagnosticError, MlirDiagnosticWarning, MlirDiagnosticNote,
    MlirDiagnosticRemark};
enum { SEVERITY_COUNT = sizeof(severities) / sizeof(*severities) };

/// The line that an expectation speaks of before its text has been read on.
typedef enum line_kind { LINE_FIXED, LINE_BELOW } line_kind;

static bool starts_with(const char **at, const char *word) {
  size_t size = strlen(word);
  if (strncmp(*at, word, size) != 0)
    return false;
  *at += size;
  return true;
}

static void skip_blanks(const char **at) {
  while (**at == ' ' || **at == '\t')
    ++*at;
}

/// "a.b {{[0-9]+}}" as the regular expression "a\.b ([0-9]+)".
static char *regex_of(const char *text, size_t size) {
  agpu__text regex = {0};
  bool inside = false;
  for (size_t i = 0; i < size; ++i) {
    if (i + 1 < size && text[i] == (inside ? '}' : '{') &&
        text[i + 1] == text[i]) {
      agpu__text_puts(&regex, inside ? ")" : "(");
      inside = !inside;
      ++i;
      continue;
    }
    if (!inside && strchr("\\^$.[]|()*+?{}", text[i]))
      agpu__text_append(&regex, "\\", 1);
    agpu__text_append(&regex, &text[i], 1);
  }
  return agpu__text_take(&regex);
}

/// Reads what stands after "expected-". False where it is no expectation at
/// all, or, with a report, a malformed one.
static bool parse(agpu__expected *all, const char *at, size_t line,
                  size_t above, expectation *out, line_kind *kind) {
  size_t i = 0;
  while (i < SEVERITY_COUNT &&
         !starts_with(&at, agpu__severity_name(severities[i])))
    ++i;
  if (i == SEVERITY_COUNT)
    return false;
  memset(out, 0, sizeof(*out));
  out->severity = severities[i];
  out->at_line = line;
  out->line = line;
  out->is_regex = starts_with(&at, "-re");
  *kind = LINE_FIXED;
  skip_blanks(&at);
  if (starts_with(&at, "@")) {
    if (starts_with(&at, "below"))
      *kind = LINE_BELOW;
    else if (starts_with(&at, "above"))
      out->line = above;
    else if (starts_with(&at, "unknown"))
      out->line = 0;
    else if ((*at == '+' || *at == '-') && isdigit((unsigned char)at[1])) {
      char *end;
      out->line = (size_t)((long)line + strtol(at, &end, 10));
      at = end;
    }
    skip_blanks(&at);
  }
  // The last closing braces of the line end the text, as it may hold some.
  const char *end = NULL;
  if (starts_with(&at, "{{"))
    for (const char *p = at; (p = strstr(p, "}}")); ++p)
      end = p;
  if (!end) {
    all->malformed = true;
    agpu__diagnostics_report(all->diagnostics, line,
                             "malformed expectation: write expected-error[-re] "
                             "[@below|@above|@unknown|@+N|@-N] {{text}}");
    return false;
  }
  out->pattern = out->is_regex ? regex_of(at, (size_t)(end - at))
                               : strndup(at, (size_t)(end - at));
  return true;
}

static void append(agpu__expected *all, const expectation *item) {
  if (all->count == all->capacity) {
    all->capacity = all->capacity ? all->capacity * 2 : 8;
    all->items = realloc(all->items, all->capacity * sizeof(*all->items));
    if (!all->items)
      abort();
  }
  all->items[all->count++] = *item;
}

static void read(agpu__expected *all, const char *text, size_t size) {
  const char *end = text + size;
  size_t line = 1, above = 0;
  // Expectations of the next line that holds none itself.
  size_t first_below = 0;
  bool below_open = false;
  for (const char *at = text; at < end; ++line) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline ? newline : end;
    char *copy = strndup(at, (size_t)(line_end - at));
    if (!copy)
      abort();
    bool found = false;
    const char *word = strstr(copy, "expected-");
    expectation item;
    line_kind kind;
    if (word &&
        parse(all, word + strlen("expected-"), line, above, &item, &kind)) {
      found = true;
      // SIZE_MAX marks a line that is not known yet.
      if (kind == LINE_BELOW) {
        item.line = (size_t)-1;
        if (!below_open)
          first_below = all->count;
        below_open = true;
      }
      append(all, &item);
    }
    if (!found) {
      for (size_t i = first_below; below_open && i < all->count; ++i)
        if (all->items[i].line == (size_t)-1)
          all->items[i].line = line;
      below_open = false;
      above = line;
    }
    free(copy);
    at = newline ? newline + 1 : end;
  }
}

static bool text_matches(const expectation *item, const char *message) {
  if (!item->is_regex)
    return strstr(message, item->pattern) != NULL;
  regex_t regex;
  if (regcomp(&regex, item->pattern, REG_EXTENDED | REG_NOSUB) != 0)
    return false;
  bool matches = regexec(&regex, message, 0, NULL, 0) == 0;
  regfree(&regex);
  return matches;
}

/// An agpu__diagnostics_filter.
static bool match(MlirDiagnosticSeverity severity, size_t line,
                  const char *message, void *data) {
  agpu__expected *expected = data;
  for (size_t i = 0; i < expected->count; ++i) {
    expectation *item = &expected->items[i];
    if (item->met || item->severity != severity || item->line != line ||
        !text_matches(item, message))
      continue;
    item->met = true;
    return true;
  }
  if (expected->mode == AGPU_VERIFY_ONLY_EXPECTED)
    return true;
  expected->unexpected = true;
  return false;
}

agpu__expected *agpu__expected_create(agpu__diagnostics *diagnostics,
                                      const char *text, size_t size,
                                      agpu__verify_mode mode) {
  agpu__expected *all = calloc(1, sizeof(*all));
  if (!all)
    abort();
  all->mode = mode;
  all->diagnostics = diagnostics;
  agpu__diagnostics_set_filter(diagnostics, match, all);
  read(all, text, size);
  return all;
}

bool agpu__expected_verify(agpu__expected *expected) {
  bool ok = !expected->malformed && !expected->unexpected;
  for (size_t i = 0; i < expected->count; ++i) {
    const expectation *item = &expected->items[i];
    if (item->met)
      continue;
    ok = false;
    agpu__text message = {0};
    agpu__text_printf(&message, "expected %s \"%s\" was not produced",
                      agpu__severity_name(item->severity), item->pattern);
    agpu__diagnostics_report(expected->diagnostics, item->at_line,
                             message.data);
    agpu__text_free(&message);
  }
  return ok;
}

void agpu__expected_release(agpu__expected *expected) {
  if (!expected)
    return;
  agpu__diagnostics_set_filter(expected->diagnostics, NULL, NULL);
  for (size_t i = 0; i < expected->count; ++i)
    free(expected->items[i].pattern);
  free(expected->items);
  free(expected);
}
