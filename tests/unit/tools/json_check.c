//===- json_check.c - Is this JSON? ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is JSON, where it is not, and which member is found.
//
//===----------------------------------------------------------------------===//

#include "json_check.h"

#include "check.h"

static agpu__json_check check(const char *text) {
  return agpu__json_check_text(text, strlen(text), "a");
}

static void check_error(const char *text, size_t line, size_t column,
                        const char *error) {
  agpu__json_check found = check(text);
  CHECK(found.error);
  CHECK_STR(found.error, error);
  CHECK_EQ(found.line, line);
  CHECK_EQ(found.column, column);
}

int main(void) {
  static const char *const good[] = {
      "0",      "-1.5e+10", "\"\\u00e9\\n\"",
      " [ ] ",  "{}",       "[1, {\"b\": null}, true]",
      "false\n"};
  for (size_t i = 0; i < sizeof(good) / sizeof(*good); ++i)
    CHECK(!check(good[i]).error);
  CHECK(check("[1]").is_array);
  CHECK(check(" {}").is_object);

  // The member of the outermost object, not of one inside.
  CHECK_STR(check("{\"b\": {\"a\": 1}, \"a\" : [2]}").member, "[2]}");
  CHECK(!check("{\"b\": {\"a\": 1}}").member);
  CHECK(!check("[{\"a\": 1}]").member);
  CHECK(!check("{\"ab\": 1}").member);

  check_error("", 1, 1, "the file ends here: it is not complete");
  check_error("[1,\n 2", 2, 3, "the file ends here: it is not complete");
  check_error("[1 2]", 1, 4, "expected ',' or ']'");
  check_error("{\"b\" 1}", 1, 6, "expected ':'");
  check_error("{b: 1}", 1, 2, "expected a string");
  check_error("{\"b\": 1,}", 1, 9, "expected a string");
  check_error("[1,]", 1, 4, "expected a value");
  check_error("01", 1, 2, "expected the end of the file");
  check_error("1.", 1, 3, "expected a digit");
  check_error("nul", 1, 1, "expected a value");
  check_error("\"a", 1, 3, "the file ends in a string");
  check_error("\"\n\"", 1, 2, "a control character in a string");
  check_error("\"\\x\"", 1, 3, "unknown escape in a string");
  check_error("\"\\u12g4\"", 1, 6,
              "expected four hexadecimal digits behind \\u");
  char deep[1001];
  memset(deep, '[', 1000);
  deep[1000] = 0;
  check_error(deep, 1, 257, "nested too deeply");
  return 0;
}
