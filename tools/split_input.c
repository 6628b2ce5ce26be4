//===- split_input.c - An input in pieces -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt's --split-input-file: each piece is a program of its own. It begins
// with as many empty lines as stand before it, so that its locations are those
// of the whole file.
//
//===----------------------------------------------------------------------===//

#include "split_input.h"

#include "lower/ir/text.h"

#include <ctype.h>
#include <string.h>

/// True if the line at `line` is a separator; `*next` is the line after it.
static bool is_separator(const char *line, const char *end, const char **next) {
  static const char marker[] = "// -----";
  const char *newline = memchr(line, '\n', (size_t)(end - line));
  const char *line_end = newline ? newline : end;
  *next = newline ? newline + 1 : end;
  size_t marker_size = sizeof(marker) - 1;
  if ((size_t)(line_end - line) < marker_size ||
      memcmp(line, marker, marker_size) != 0)
    return false;
  for (line += marker_size; line < line_end; ++line)
    if (!isspace((unsigned char)*line))
      return false;
  return true;
}

bool agpu__split_input(const char *text, size_t size,
                       bool (*visit)(const char *piece, size_t size,
                                     bool is_first, void *data),
                       void *data) {
  const char *end = text + size;
  const char *begin = text;
  size_t begin_line = 0, line = 0;
  bool more = true;
  for (const char *at = text; more;) {
    const char *next = end;
    bool at_end = at >= end;
    if (at_end || is_separator(at, end, &next)) {
      agpu__text piece = {0};
      for (size_t i = 0; i < begin_line; ++i)
        agpu__text_append(&piece, "\n", 1);
      agpu__text_append(&piece, begin, (size_t)(at - begin));
      more = visit(piece.data, piece.size, begin == text, data);
      agpu__text_free(&piece);
      if (at_end)
        break;
      begin = next;
      begin_line = line + 1;
    }
    at = next;
    ++line;
  }
  return more;
}
