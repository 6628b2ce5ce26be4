//===- tm_tensor_text.c - torch-mlir's ops as MLIR can read them ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "linalg on tensors", as torch-mlir hands it over, has ops of its own dialect
// tm_tensor, in a syntax that only torch-mlir's parser knows:
//
//   tm_tensor.NAME {ATTRIBUTES} KEY(VALUE) ins(OPERANDS : TYPES)
//       outs(OPERANDS : TYPES) { REGION } -> TYPES
//   tm_tensor.yield OPERANDS : TYPES
//
// One pass over the text writes them as MLIR's generic form. Regions are not
// read: their end is remembered, after which the op goes on.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ops.h"
#include "lower/pass/pipeline.h"

#include <ctype.h>
#include <stdlib.h>

static const char prefix[] = "tm_tensor.";

/// An op whose region has begun.
typedef struct pending {
  size_t depth; ///< of the braces in its region
  agpu__text attributes, types;
} pending;

typedef struct reader {
  const char *at, *end;
  agpu__text *out;
  size_t depth;
  pending *open; ///< the innermost last
  size_t open_count, open_capacity;
} reader;

/// The text from `begin` to `end`.
typedef struct span {
  const char *begin, *end;
} span;

static bool starts(const reader *r, const char *at, const char *word) {
  size_t size = strlen(word);
  return (size_t)(r->end - at) >= size && memcmp(at, word, size) == 0;
}

static const char *skip_blanks(const reader *r, const char *at) {
  while (at < r->end && isspace((unsigned char)*at))
    ++at;
  return at;
}

/// After the string or comment at `at`; `at` itself where there is none.
static const char *skip_quoted(const reader *r, const char *at) {
  if (starts(r, at, "//")) {
    while (at < r->end && *at != '\n')
      ++at;
    return at;
  }
  if (at == r->end || *at != '"')
    return at;
  for (++at; at < r->end && *at != '"'; ++at)
    if (*at == '\\' && at + 1 < r->end)
      ++at;
  return at < r->end ? at + 1 : at;
}

/// After the bracket that closes the one at `at`; NULL where none does.
static const char *skip_brackets(const reader *r, const char *at) {
  char last = *at == '(' ? ')' : '}';
  size_t depth = 0;
  while (at < r->end) {
    const char *quoted = skip_quoted(r, at);
    if (quoted != at) {
      at = quoted;
      continue;
    }
    depth += *at == '(' || *at == '{' || *at == '[';
    if ((*at == ')' || *at == '}' || *at == ']') && --depth == 0)
      return *at == last ? at + 1 : NULL;
    ++at;
  }
  return NULL;
}

/// A list up to the end of the line, or to a location.
static span read_line(const reader *r, const char *at) {
  span found = {at, at};
  while (found.end < r->end && *found.end != '\n' &&
         !starts(r, found.end, " loc(") && !starts(r, found.end, "//"))
    ++found.end;
  while (found.end > found.begin && isspace((unsigned char)found.end[-1]))
    --found.end;
  return found;
}

static void append_span(agpu__text *out, span from) {
  agpu__text_append(out, from.begin, (size_t)(from.end - from.begin));
}

static void append_separated(agpu__text *out, span from) {
  if (from.begin == from.end)
    return;
  agpu__text_puts(out, out->size ? ", " : "");
  append_span(out, from);
}

/// What is between the brackets that close in front of `end`.
static span inside(const char *begin, const char *end) {
  return (span){begin + 1, end - 1};
}

/// Takes "OPERANDS : TYPES" apart; counts the operands.
static int32_t read_operands(span list, agpu__text *operands,
                             agpu__text *types) {
  const char *colon = memchr(list.begin, ':', (size_t)(list.end - list.begin));
  if (!colon)
    return 0;
  int32_t count = 1;
  for (const char *at = list.begin; at < colon; ++at)
    count += *at == ',';
  append_separated(operands, (span){list.begin, colon});
  append_separated(types, (span){colon + 1, list.end});
  return count;
}

/// Appends the end of an op, after its region if it has one, and goes on
/// after its results.
static void write_end(reader *r, const agpu__text *attributes,
                      const agpu__text *types) {
  span results = {r->at, r->at};
  const char *arrow = skip_blanks(r, r->at);
  if (starts(r, arrow, "->")) {
    results = read_line(r, skip_blanks(r, arrow + 2));
    r->at = results.end;
  }
  agpu__text_printf(r->out, " {%s} : (%s) -> (", agpu__text_get(attributes),
                    agpu__text_get(types));
  append_span(r->out, results);
  agpu__text_puts(r->out, ")");
}

static void write_yield(reader *r, const char *at) {
  span list = read_line(r, at);
  AGPU__SCOPED(text) operands = {0}, types = {0};
  read_operands(list, &operands, &types);
  agpu__text_printf(r->out, "\"tm_tensor.yield\"(%s) : (%s) -> ()",
                    agpu__text_get(&operands), agpu__text_get(&types));
  r->at = list.end;
}

static void push(reader *r, pending op) {
  AGPU__GROW(r->open, r->open_count, r->open_capacity);
  r->open[r->open_count++] = op;
}

/// Writes the op that begins at `r->at`, up to its region, or to its end where
/// it has none. False, and nothing written: it is none.
static bool write_op(reader *r) {
  const char *at = r->at + strlen(prefix), *name_end = at;
  while (name_end < r->end && isalpha((unsigned char)*name_end))
    ++name_end;
  span name = {r->at, name_end};
  if (starts(r, at, "yield")) {
    write_yield(r, skip_blanks(r, name_end));
    return true;
  }
  agpu__text attributes = {0}, operands = {0}, types = {0};
  int32_t segments[2] = {0, 0};
  bool well_formed = true;
  at = skip_blanks(r, name_end);
  const char *close = at < r->end && *at == '{' ? skip_brackets(r, at) : NULL;
  if (close) {
    append_span(&attributes, inside(at, close));
    at = close;
  }
  for (;;) {
    at = skip_blanks(r, at);
    const char *word = at;
    while (at < r->end && (isalpha((unsigned char)*at) || *at == '_'))
      ++at;
    span key = {word, at};
    at = skip_blanks(r, at);
    if (key.begin == key.end || at == r->end || *at != '(')
      break;
    close = skip_brackets(r, at);
    well_formed &= close != NULL;
    if (!close)
      break;
    span value = inside(at, close);
    if (starts(r, key.begin, "ins")) {
      segments[0] = read_operands(value, &operands, &types);
    } else if (starts(r, key.begin, "outs")) {
      segments[1] = read_operands(value, &operands, &types);
    } else {
      append_separated(&attributes, key);
      agpu__text_puts(&attributes, " = ");
      append_span(&attributes, value);
    }
    at = close;
  }
  if (well_formed) {
    agpu__text_printf(&attributes, "%soperandSegmentSizes = array<i32: %d, %d>",
                      attributes.size ? ", " : "", segments[0], segments[1]);
    agpu__text_puts(r->out, "\"");
    append_span(r->out, name);
    agpu__text_printf(r->out, "\"(%s)", agpu__text_get(&operands));
    // Lines keep their numbers.
    for (const char *p = r->at; p < at; ++p)
      if (*p == '\n')
        agpu__text_puts(r->out, "\n");
    r->at = at;
  }
  if (well_formed && at < r->end && *at == '{') {
    agpu__text_puts(r->out, " (");
    push(r, (pending){r->depth + 1, attributes, types});
  } else {
    if (well_formed)
      write_end(r, &attributes, &types);
    agpu__text_free(&attributes);
    agpu__text_free(&types);
  }
  agpu__text_free(&operands);
  return well_formed;
}

/// Copies a character, and what ends with it.
static void copy(reader *r) {
  char c = *r->at++;
  agpu__text_append(r->out, &c, 1);
  r->depth += c == '{';
  if (c != '}' || r->depth == 0)
    return;
  pending *last = r->open_count ? &r->open[r->open_count - 1] : NULL;
  if (last && last->depth == r->depth) {
    agpu__text_puts(r->out, ")");
    write_end(r, &last->attributes, &last->types);
    agpu__text_free(&last->attributes);
    agpu__text_free(&last->types);
    --r->open_count;
  }
  --r->depth;
}

bool agpu__has_tm_tensor(const char *text, size_t size) {
  return memmem(text, size, prefix, strlen(prefix)) != NULL;
}

void agpu__tm_tensor_rewrite(const char *text, size_t size, agpu__text *out) {
  reader r = {.at = text, .end = text + size, .out = out};
  bool in_word = false;
  while (r.at < r.end) {
    const char *quoted = skip_quoted(&r, r.at);
    if (quoted != r.at) {
      append_span(out, (span){r.at, quoted});
      r.at = quoted;
      in_word = false;
    } else if (in_word || !starts(&r, r.at, prefix) || !write_op(&r)) {
      in_word = isalnum((unsigned char)*r.at) || strchr("_.$%#!@", *r.at);
      copy(&r);
    } else {
      in_word = false;
    }
  }
  while (r.open_count) {
    pending *last = &r.open[--r.open_count];
    agpu__text_free(&last->attributes);
    agpu__text_free(&last->types);
  }
  free(r.open);
}
