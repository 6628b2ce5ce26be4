//===- text.c - Strings as JSON -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes become a string that a reader of JSON takes.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/text.h"

#include "check.h"

static void check_json(const char *data, const char *expected) {
  agpu__text text = {0};
  agpu__text_json(&text, data, strlen(data));
  CHECK_STR(text.data, expected);
  agpu__text_free(&text);
}

int main(void) {
  check_json("", "\"\"");
  check_json("a/b", "\"a/b\"");
  check_json("\"\\\n\x01", "\"\\\"\\\\\\u000a\\u0001\"");
  check_json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
             "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  // Sequences that are cut off, or begin in the middle.
  check_json("\xc3", "\"\\ufffd\"");
  check_json("\xe2\x82x", "\"\\ufffd\\ufffdx\"");
  check_json("\x80\xff", "\"\\ufffd\\ufffd\"");
  return 0;
}
