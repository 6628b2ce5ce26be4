//===- json_check.c - Is this JSON? -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads JSON without making anything of it, so that a page is never made of a
// file that a browser could not read, and the user learns which line is wrong.
//
//===----------------------------------------------------------------------===//

#include "json_check.h"

#include <string.h>

/// Deeper than anything that a person or this project writes.
enum { MAX_DEPTH = 256 };

typedef struct reader {
  const char *at, *end;
  const char *name; ///< the member that is looked for
  const char *member;
  const char *error;
} reader;

static bool fail(reader *r, const char *error) {
  if (!r->error)
    r->error = error;
  return false;
}

static void skip_space(reader *r) {
  while (r->at < r->end &&
         (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    ++r->at;
}

static bool take(reader *r, char c) {
  if (r->at == r->end || *r->at != c)
    return false;
  ++r->at;
  return true;
}

static bool is_digit(const reader *r) {
  return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool read_digits(reader *r) {
  if (!is_digit(r))
    return fail(r, "expected a digit");
  while (is_digit(r))
    ++r->at;
  return true;
}

static bool read_number(reader *r) {
  (void)take(r, '-');
  if (!take(r, '0') && !read_digits(r))
    return false;
  if (take(r, '.') && !read_digits(r))
    return false;
  if (take(r, 'e') || take(r, 'E')) {
    (void)(take(r, '+') || take(r, '-'));
    return read_digits(r);
  }
  return true;
}

static bool read_escape(reader *r) {
  static const char plain[] = "\"\\/bfnrt";
  if (r->at < r->end && *r->at && strchr(plain, *r->at)) {
    ++r->at;
    return true;
  }
  if (!take(r, 'u'))
    return fail(r, "unknown escape in a string");
  for (int i = 0; i < 4; ++i, ++r->at)
    if (r->at == r->end || !*r->at || !strchr("0123456789abcdefABCDEF", *r->at))
      return fail(r, "expected four hexadecimal digits behind \\u");
  return true;
}

static bool read_string(reader *r) {
  if (!take(r, '"'))
    return fail(r, "expected a string");
  while (r->at < r->end && *r->at != '"') {
    if ((unsigned char)*r->at < 0x20)
      return fail(r, "a control character in a string");
    if (*r->at++ == '\\' && !read_escape(r))
      return false;
  }
  return take(r, '"') || fail(r, "the file ends in a string");
}

static bool read_word(reader *r, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
    return fail(r, "expected a value");
  r->at += size;
  return true;
}

static bool read_value(reader *r, int depth);

/// Members, or elements, up to `close`, which is taken.
static bool read_list(reader *r, int depth, char close) {
  ++r->at;
  skip_space(r);
  if (take(r, close))
    return true;
  for (;;) {
    skip_space(r);
    if (close == '}') {
      const char *begin = r->at + 1;
      if (!read_string(r))
        return false;
      size_t size = (size_t)(r->at - 1 - begin);
      skip_space(r);
      if (!take(r, ':'))
        return fail(r, "expected ':'");
      skip_space(r);
      if (depth == 1 && size == strlen(r->name) &&
          memcmp(begin, r->name, size) == 0)
        r->member = r->at;
    }
    if (!read_value(r, depth))
      return false;
    skip_space(r);
    if (take(r, close))
      return true;
    if (!take(r, ','))
      return fail(r, r->at == r->end ? "the file ends here: it is not complete"
                     : close == '}'  ? "expected ',' or '}'"
                                     : "expected ',' or ']'");
  }
}

static bool read_value(reader *r, int depth) {
  if (depth == MAX_DEPTH)
    return fail(r, "nested too deeply");
  if (r->at == r->end)
    return fail(r, "the file ends here: it is not complete");
  switch (*r->at) {
  case '{': return read_list(r, depth + 1, '}');
  case '[': return read_list(r, depth + 1, ']');
  case '"': return read_string(r);
  case 't': return read_word(r, "true");
  case 'f': return read_word(r, "false");
  case 'n': return read_word(r, "null");
  default:
    return *r->at == '-' || is_digit(r) ? read_number(r)
                                        : fail(r, "expected a value");
  }
}

agpu__json_check agpu__json_check_text(const char *text, size_t size,
                                       const char *name) {
  reader r = {.at = text, .end = text + size, .name = name};
  skip_space(&r);
  agpu__json_check result = {.is_array = r.at < r.end && *r.at == '[',
                             .is_object = r.at < r.end && *r.at == '{'};
  if (read_value(&r, 0)) {
    skip_space(&r);
    if (r.at != r.end)
      fail(&r, "expected the end of the file");
  }
  result.error = r.error;
  result.member = r.member;
  result.line = result.column = 1;
  for (const char *at = text; r.error && at < r.at; ++at) {
    ++result.column;
    if (*at == '\n') {
      ++result.line;
      result.column = 1;
    }
  }
  return result;
}
