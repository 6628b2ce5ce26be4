//===- source.c - Input text ----------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only white space and comments are blank.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/source.h"

#include "check.h"

static bool is_blank(const char *text) {
  return agpu__source_is_blank(text, strlen(text));
}

int main(void) {
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
