//===- pass_values.c - Option values of one use of a pass -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of one use of a pass: read, checked against what the pass has,
// and kept as text until the pass asks for them.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/ir/ir.h"
#include "lower/ir/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int agpu__pass_option_default_size(const agpu_pass_option *option) {
  return (int)strcspn(option->default_value,
                      option->kind == AGPU_OPTION_WORD ? "|" : "");
}

static const char *find(const agpu_pass_values *values, const char *name,
                        size_t size) {
  for (size_t i = 0; i < values->count; ++i)
    if (strncmp(values->options[i].name, name, size) == 0 &&
        !values->options[i].name[size])
      return values->texts[i];
  // A pass asking for an option that its own table lacks is a defect of ours.
  abort();
}

bool agpu__pass_value_bool(const agpu_pass_values *values, const char *name) {
  return strcmp(agpu__pass_value_string(values, name), "true") == 0;
}

int64_t agpu__pass_value_int(const agpu_pass_values *values, const char *name) {
  return strtoll(agpu__pass_value_string(values, name), NULL, 10);
}

const char *agpu__pass_value_string(const agpu_pass_values *values,
                                    const char *name) {
  return find(values, name, strlen(name));
}

/// Appends what is between `at` and `end`, with values for names.
static void fill(agpu__text *out, const agpu_pass_values *values,
                 const char *at, const char *end) {
  for (const char *open;
       (open = memchr(at, '<', (size_t)(end - at))) != NULL;) {
    const char *close = strchr(open, '>');
    agpu__text_append(out, at, (size_t)(open - at));
    agpu__text_puts(out, find(values, open + 1, (size_t)(close - open) - 1));
    at = close + 1;
  }
  agpu__text_append(out, at, (size_t)(end - at));
}

char *agpu__pass_values_fill(const agpu_pass_values *values, const char *text) {
  agpu__text out = {0};
  for (const char *open; (open = strchr(text, '[')) != NULL;) {
    const char *colon = strchr(open, ':'), *close = strchr(open, ']');
    fill(&out, values, text, open);
    if (!strcmp(find(values, open + 1, (size_t)(colon - open) - 1), "true"))
      fill(&out, values, colon + 1, close);
    text = close + 1;
  }
  fill(&out, values, text, text + strlen(text));
  return agpu__text_take(&out);
}

/// One `name=value` of an option text; `value` is NULL for a bare name.
typedef struct assignment {
  const char *name, *value;
  size_t name_size, value_size;
} assignment;

/// The end of the value that begins at `at`: at a space outside of braces and
/// quotes. NULL where a brace or quote is not closed.
static const char *value_end(const char *at) {
  int depth = 0;
  for (; *at; ++at) {
    if (*at == '"' || *at == '\'') {
      const char *close = strchr(at + 1, *at);
      if (!close)
        return NULL;
      at = close;
    } else if (*at == '{' || *at == '[' || *at == '(') {
      ++depth;
    } else if (*at == '}' || *at == ']' || *at == ')') {
      --depth;
    } else if (depth == 0 && isspace((unsigned char)*at)) {
      break;
    }
  }
  return depth == 0 ? at : NULL;
}

/// Takes the next assignment off `*text`. False at the end, and, with a
/// message, where the text is malformed.
static bool next_assignment(const char *argument, const char **text,
                            assignment *out, agpu__text *error) {
  const char *at = *text;
  while (isspace((unsigned char)*at))
    ++at;
  if (!*at)
    return false;
  out->name = at;
  out->value = NULL;
  out->value_size = 0;
  while (*at && *at != '=' && !isspace((unsigned char)*at))
    ++at;
  out->name_size = (size_t)(at - out->name);
  if (*at == '=') {
    const char *end = value_end(at + 1);
    if (!end) {
      agpu__text_printf(error, "%s: unbalanced brace or quote in option '%.*s'",
                        argument, (int)out->name_size, out->name);
      return false;
    }
    out->value = at + 1;
    out->value_size = (size_t)(end - out->value);
    at = end;
    if (out->value_size >= 2 && ((out->value[0] == '{' && end[-1] == '}') ||
                                 (out->value[0] == '"' && end[-1] == '"') ||
                                 (out->value[0] == '\'' && end[-1] == '\''))) {
      ++out->value;
      out->value_size -= 2;
    }
  }
  *text = at;
  return true;
}

/// Whether `value` is one of "a|b|c".
static bool is_word_of(const char *words, const char *value) {
  size_t length = strlen(value);
  for (const char *word = words; word;
       word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
    if (strcspn(word, "|") == length && !memcmp(word, value, length))
      return true;
  return false;
}

static void report_word(const char *argument, const agpu_pass_option *option,
                        const char *value, agpu__text *error) {
  agpu__text_printf(error, "%s: option '%s' is ", argument, option->name);
  for (const char *word = option->default_value; *word;) {
    size_t length = strcspn(word, "|");
    agpu__text_append(error, word, length);
    word += length;
    if (*word++ != '|')
      break;
    agpu__text_puts(error, strchr(word, '|') ? ", " : " or ");
  }
  agpu__text_printf(error, ", not '%s'", value);
}

/// The text of a value in the form that the accessors read, or NULL with a
/// message. The caller frees it.
static char *check_value(const char *argument, const agpu_pass_option *option,
                         const assignment *from, agpu__text *error) {
  char *value = from->value
                    ? agpu__format("%.*s", (int)from->value_size, from->value)
                    : NULL;
  switch (option->kind) {
  case AGPU_OPTION_BOOL:
    if (!value)
      return agpu__format("true");
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
      return value;
    if (strcmp(value, "1") == 0 || strcmp(value, "0") == 0) {
      bool on = value[0] == '1';
      free(value);
      return agpu__format(on ? "true" : "false");
    }
    agpu__text_printf(error, "%s: option '%s' is true or false, not '%s'",
                      argument, option->name, value);
    break;
  case AGPU_OPTION_INT: {
    char *end = NULL;
    errno = 0;
    if (value)
      (void)strtoll(value, &end, 10);
    if (value && isdigit((unsigned char)*value) && *end == '\0' && errno == 0)
      return value;
    agpu__text_printf(
        error, "%s: option '%s' is a decimal integer, 0 or more, not '%s'",
        argument, option->name, value ? value : "");
    break;
  }
  case AGPU_OPTION_STRING:
    if (value)
      return value;
    agpu__text_printf(error, "%s: option '%s' needs a value, as in '%s=...'",
                      argument, option->name, option->name);
    break;
  case AGPU_OPTION_WORD:
    if (value && is_word_of(option->default_value, value))
      return value;
    report_word(argument, option, value ? value : "", error);
    break;
  }
  free(value);
  return NULL;
}

static void report_unknown(const char *argument, const assignment *from,
                           const agpu_pass_option *options, size_t count,
                           agpu__text *error) {
  agpu__text_printf(error, "%s: no such option '%.*s'", argument,
                    (int)from->name_size, from->name);
  AGPU__OWNED char *wanted =
      agpu__format("%.*s", (int)from->name_size, from->name);
  const char *best = NULL;
  size_t distance = (size_t)-1;
  for (size_t i = 0; i < count; ++i)
    agpu__nearest_name(wanted, options[i].name, &best, &distance);
  if (best) {
    agpu__text_printf(error, ", did you mean '%s'?", best);
    return;
  }
  agpu__text_puts(error, count ? "; its options are " : "; it has no options");
  for (size_t i = 0; i < count; ++i)
    agpu__text_printf(error, "%s'%s'", i ? ", " : "", options[i].name);
}

agpu_pass_values *agpu__pass_values_create(const char *argument,
                                           const agpu_pass_option *options,
                                           size_t count, const char *text,
                                           agpu__text *error) {
  char **texts = agpu__allocate(count, sizeof(*texts));
  for (size_t i = 0; i < count; ++i)
    texts[i] = agpu__format("%.*s", agpu__pass_option_default_size(&options[i]),
                            options[i].default_value);
  agpu_pass_values *values = agpu__allocate(1, sizeof(*values));
  values->options = options;
  values->count = count;
  values->texts = (const char *const *)texts;

  size_t error_before = error->size;
  assignment item;
  while (text && next_assignment(argument, &text, &item, error)) {
    size_t i = 0;
    while (i < count && (strlen(options[i].name) != item.name_size ||
                         memcmp(options[i].name, item.name, item.name_size)))
      ++i;
    if (i == count) {
      report_unknown(argument, &item, options, count, error);
      break;
    }
    char *value = check_value(argument, &options[i], &item, error);
    if (!value)
      break;
    free(texts[i]);
    texts[i] = value;
  }
  if (error->size == error_before)
    return values;
  agpu__pass_values_release(values);
  return NULL;
}

agpu_pass_values *agpu__pass_values_clone(const agpu_pass_values *values) {
  char **texts = agpu__allocate(values->count, sizeof(*texts));
  for (size_t i = 0; i < values->count; ++i)
    texts[i] = agpu__format("%s", values->texts[i]);
  agpu_pass_values *clone = agpu__allocate(1, sizeof(*clone));
  *clone = *values;
  clone->texts = (const char *const *)texts;
  return clone;
}

void agpu__pass_values_release(agpu_pass_values *values) {
  if (!values)
    return;
  for (size_t i = 0; i < values->count; ++i)
    free((char *)values->texts[i]);
  free((char **)values->texts);
  free(values);
}
