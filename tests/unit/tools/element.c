//===- element.c - Numbers in arrays --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every f16 and bf16 is printed so that it is read again as itself, and numbers
// between them are rounded to the nearest.
//
//===----------------------------------------------------------------------===//

#include "element.h"

#include "check.h"

static uint16_t parse_half(const agpu__element *element, const char *text) {
  agpu__text error = {0};
  uint16_t bits;
  CHECK(agpu__element_parse(element, &text, &bits, &error));
  CHECK_EQ(*text, 0);
  return bits;
}

static void test_all(const char *name, uint16_t infinity) {
  const agpu__element *element = agpu__element_find(name, strlen(name));
  for (unsigned bits = 0; bits <= UINT16_MAX; ++bits) {
    uint16_t value = (uint16_t)bits;
    if ((value & 0x7fff) > infinity)
      continue; // not a number
    for (int as_runner = 0; as_runner < 2; ++as_runner) {
      agpu__text text = {0};
      agpu__element_print(element, &value, as_runner, &text);
      CHECK_EQ(parse_half(element, text.data), value);
      agpu__text_free(&text);
    }
  }
}

int main(void) {
  test_all("f16", 0x7c00);
  test_all("bf16", 0x7f80);
  const agpu__element *f16 = agpu__element_find("f16", 3);
  const agpu__element *bf16 = agpu__element_find("bf16", 4);
  CHECK_EQ(parse_half(f16, "nan") & 0x7fff, 0x7e00);
  CHECK_EQ(parse_half(f16, "65504"), 0x7bff);
  CHECK_EQ(parse_half(f16, "65519"), 0x7bff);
  CHECK_EQ(parse_half(f16, "65520"), 0x7c00); // a tie, to even
  CHECK_EQ(parse_half(f16, "-1e9"), 0xfc00);
  CHECK_EQ(parse_half(f16, "2049"), 0x6800); // a tie between 2048 and 2050
  CHECK_EQ(parse_half(f16, "2051"), 0x6802);
  CHECK_EQ(parse_half(f16, "0x1p-24"), 1);
  CHECK_EQ(parse_half(f16, "0x1p-25"), 0);
  CHECK_EQ(parse_half(f16, "0x1.8p-25"), 1);
  CHECK_EQ(parse_half(bf16, "1.00390625"), 0x3f80); // 1 + 2^-8: a tie
  CHECK_EQ(parse_half(bf16, "1.01171875"), 0x3f82);
  CHECK_EQ(parse_half(bf16, "0x1p-133"), 1);
  return 0;
}
