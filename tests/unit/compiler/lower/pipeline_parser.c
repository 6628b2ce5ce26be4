//===- pipeline_parser.c - The text of a pass pipeline --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read is what is printed; what is malformed is pointed at.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "check.h"

static void check_text(const char *text, const char *expected) {
  agpu__pipeline_list list = {0};
  agpu__text error = {0}, printed = {0};
  CHECK(agpu__pipeline_parse(text, &list, &error));
  CHECK_STR(agpu__text_get(&error), "");
  for (size_t i = 0; i < list.count; ++i) {
    agpu__text_puts(&printed, i ? "," : "");
    agpu__pipeline_print(&list.nodes[i], &printed);
  }
  CHECK_STR(agpu__text_get(&printed), expected);
  agpu__text_free(&printed);
  agpu__pipeline_free(&list);
}

/// `text` is malformed at `column`, counted from 1.
static void check_error(const char *text, size_t column, const char *message) {
  agpu__pipeline_list list = {0};
  agpu__text error = {0}, expected = {0};
  CHECK(!agpu__pipeline_parse(text, &list, &error));
  agpu__text_printf(&expected, "pipeline:1:%zu: %s\n%s\n%*s^", column, message,
                    text, (int)column - 1, "");
  CHECK_STR(agpu__text_get(&error), expected.data);
  agpu__text_free(&error);
  agpu__text_free(&expected);
  agpu__pipeline_free(&list);
}

int main(void) {
  check_text("", "");
  check_text("  ", "");
  check_text("a", "a");
  check_text(" a , b ", "a,b");
  check_text("a{}", "a{}");
  check_text("a{x=1 y={b c}},f.g(b{z},any(c)),d",
             "a{x=1 y={b c}},f.g(b{z},any(c)),d");
  check_text("m()", "m()");
  check_text("a{x=\"}\" y='{,('}", "a{x=\"}\" y='{,('}");

  check_error(",", 1, "expected the name of a pass, pipeline or op");
  check_error("a,", 3, "expected the name of a pass, pipeline or op");
  check_error("a{x", 2, "expected '}' to close this brace");
  check_error("a{\"}", 2, "expected '}' to close this brace");
  check_error("f(a", 2, "expected ')' to close this parenthesis");
  check_error("f(a b)", 5, "expected ',' or ')'");
  check_error("a)", 2, "expected ',' or the end of the pipeline");
  check_error("a{x}(b)", 5, "expected ',' or the end of the pipeline");

  // Nesting without end must not exhaust the stack.
  enum { DEEP = 100000 };
  char *deep = malloc(2 * DEEP + 1);
  CHECK(deep);
  for (size_t i = 0; i < DEEP; ++i)
    memcpy(deep + 2 * i, "f(", 2);
  deep[2 * DEEP] = '\0';
  agpu__pipeline_list list = {0};
  agpu__text error = {0};
  CHECK(!agpu__pipeline_parse(deep, &list, &error));
  CHECK(strstr(error.data, "pipelines nest too deeply here"));
  agpu__pipeline_free(&list);
  agpu__text_free(&error);
  free(deep);

  agpu__pipeline_append(&list, "a", NULL);
  agpu__pipeline_append(&list, "b", "x=1");
  CHECK_EQ(list.count, 2);
  CHECK(!list.nodes[0].options);
  CHECK_STR(list.nodes[1].options, "x=1");
  agpu__pipeline_free(&list);
  CHECK_EQ(list.count, 0);
  return 0;
}
