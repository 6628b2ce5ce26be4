//===- split_input.c - An input in pieces ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces between separators keep their line numbers.
//
//===----------------------------------------------------------------------===//

#include "split_input.h"

#include "lower/ir/text.h"

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
  CHECK(agpu__split_input(text, strlen(text), append_piece, &all));
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
  CHECK(!agpu__split_input("a\n// -----\nb", 12, stop, &calls));
  CHECK_EQ(calls, 1);
  return 0;
}
