//===- source.c - Input text and its pieces -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces between separators keep their line numbers; only white space and
// comments are blank.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/source.h"

#include "check.h"

static bool append_piece(const char *piece, size_t size, bool is_first,
                         void *data) {
  agpu__text *all = data;
  CHECK_EQ(is_first, all->size == 0);
  CHECK_EQ(piece[size], 0);
  agpu__text_printf(all, "[%s]", piece);
  return true;
}

static void check_split(const char *text, const char *expected) {
  agpu__text all = {0};
  CHECK(agpu__source_split(text, strlen(text), append_piece, &all));
  CHECK_STR(agpu__text_get(&all), expected);
  agpu__text_free(&all);
}

static bool stop(const char *piece, size_t size, bool is_first, void *data) {
  (void)piece;
  (void)size;
  (void)is_first;
  ++*(int *)data;
  return false;
}

static bool is_blank(const char *text) {
  return agpu__source_is_blank(text, strlen(text));
}

int main(void) {
  check_split("", "[]");
  check_split("a\nb\n", "[a\nb\n]");
  check_split("a\n// -----\nb", "[a\n][\n\nb]");
  check_split("a\n// -----  \nb\n// -----\n", "[a\n][\n\nb\n][\n\n\n\n]");
  check_split("// -----\na", "[][\na]");
  // No separators.
  check_split("// ------\n", "[// ------\n]");
  check_split(" // -----\n", "[ // -----\n]");
  check_split("// ----- a\n", "[// ----- a\n]");

  int calls = 0;
  CHECK(!agpu__source_split("a\n// -----\nb", 12, stop, &calls));
  CHECK_EQ(calls, 1);

  CHECK(is_blank(""));
  CHECK(is_blank(" \n\t\r\n"));
  CHECK(is_blank("// a\n  // b"));
  CHECK(!is_blank("// a\nb"));
  CHECK(!is_blank("/"));
  CHECK(!agpu__source_is_blank("\0", 1));

  CHECK_STR(agpu__source_name("-"), "<stdin>");
  CHECK_STR(agpu__source_name("./-"), "./-");
  agpu__text contents = {0}, error = {0};
  CHECK(!agpu__source_read("/nonesuch/file", &contents, &error));
  CHECK_STR(agpu__text_get(&error), "cannot open input file '/nonesuch/file': "
                                    "No such file or directory");
  agpu__text_free(&error);
  agpu__text_free(&contents);
  CHECK(agpu__source_read("/dev/null", &contents, &error));
  CHECK_EQ(contents.size, 0);
  CHECK_STR(contents.data, "");
  agpu__text_free(&contents);
  return 0;
}
