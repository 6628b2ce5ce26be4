//===- tm_tensor_text.c - Ops of torch-mlir in generic form ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What torch-mlir prints becomes MLIR's generic form, line by line; all else,
// and what is not well formed, stays as it is.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "check.h"

static void check_rewrite(const char *text, const char *expected) {
  agpu__text out = {0};
  agpu__tm_tensor_rewrite(text, strlen(text), &out);
  CHECK_STR(agpu__text_get(&out), expected);
  agpu__text_free(&out);
}

static void test_ops(void) {
  check_rewrite(
      "%1:2 = tm_tensor.scan dimension(1) inclusive(true) "
      "ins(%0#1 : tensor<2x3xf32>) outs(%a, %b : tensor<2x3xf32>, "
      "tensor<2xf32>) {\n"
      "^bb0(%x: f32, %y: f32):\n"
      "  %s = arith.addf %x, %y {t = {a = 1}} : f32\n"
      "  tm_tensor.yield %s : f32\n"
      "} -> tensor<2x3xf32>, tensor<2xf32> loc(#loc)\nreturn\n",
      "%1:2 = \"tm_tensor.scan\"(%0#1 , %a, %b ) ({\n"
      "^bb0(%x: f32, %y: f32):\n"
      "  %s = arith.addf %x, %y {t = {a = 1}} : f32\n"
      "  \"tm_tensor.yield\"(%s ) : ( f32) -> ()\n"
      "}) {dimension = 1, inclusive = true, operandSegmentSizes = "
      "array<i32: 1, 2>} : ( tensor<2x3xf32>,  tensor<2x3xf32>, "
      "tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) loc(#loc)\nreturn\n");
  check_rewrite("tm_tensor.attention ins(%q : tensor<1xf32>) outs(%o : "
                "tensor<1xf32>) -> tensor<1xf32> // tm_tensor.scan\n",
                "\"tm_tensor.attention\"(%q , %o ) {operandSegmentSizes = "
                "array<i32: 1, 1>} : ( tensor<1xf32>,  tensor<1xf32>) -> "
                "(tensor<1xf32>) // tm_tensor.scan\n");
  check_rewrite("tm_tensor.scatter {map = array<i64: 0>} "
                "unique_indices(false)\n outs(%o : memref<1xf32>) {\n}\n",
                "\"tm_tensor.scatter\"(%o )\n ({\n}) {map = array<i64: 0>, "
                "unique_indices = false, operandSegmentSizes = array<i32: 0, "
                "1>} : ( memref<1xf32>) -> ()\n");
}

/// Strings, comments, longer names and the generic form are no ops of
/// torch-mlir in its own syntax.
static void test_others(void) {
  static const char *const same[] = {
      "",
      "// tm_tensor.yield\n",
      "\"tm_tensor.scan\"(%0) : (i32) -> ()\n",
      "x = \"a \\\" tm_tensor.yield\"",
      "my_tm_tensor.yield",
      "tm_tensor.scan dimension(1",
      "}}} tm_tensor.scan outs(\"",
      "\"tm_tensor.",
  };
  for (size_t i = 0; i < sizeof(same) / sizeof(*same); ++i)
    check_rewrite(same[i], same[i]);
  // The end of the file ends all that is open.
  agpu__text out = {0};
  static const char open[] = "tm_tensor.sort dimension(0) outs(%a : t) { {";
  agpu__tm_tensor_rewrite(open, strlen(open), &out);
  agpu__text_free(&out);
}

int main(void) {
  static const char text[] = "tm_tensor.scan";
  CHECK(agpu__has_tm_tensor(text, strlen(text)));
  CHECK(!agpu__has_tm_tensor(text, 5));
  test_ops();
  test_others();
  return 0;
}
