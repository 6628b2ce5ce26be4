//===- integers.c - Bytes and small integers as host code ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Permutations of bytes (`prmt`) and dot products of small integers (`dp4a`,
// `dp2a`), written as ops of the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/writers.h"

// Which of the eight bytes becomes byte `i` of a permutation in a mode other
// than the default, by its selector.
static int forward(int selector, int i) { return selector + i; }
static int backward(int selector, int i) { return (selector - i) & 7; }
static int replicate_8(int selector, int i) { return i < 0 ? i : selector; }
static int clamp_left(int selector, int i) {
  return i > selector ? i : selector;
}
static int clamp_right(int selector, int i) {
  return i < selector ? i : selector;
}
static int replicate_16(int selector, int i) {
  return 2 * (selector & 1) + (i & 1);
}

static const struct {
  const char *mode;
  int (*byte)(int selector, int i);
} permutations[] = {
    {"f4e", forward},    {"b4e", backward},    {"rc8", replicate_8},
    {"ecl", clamp_left}, {"ecr", clamp_right}, {"rc16", replicate_16},
};

/// The other modes as selectors of the default one, four digits for each of
/// the four: a shift takes the right one.
static void write_selector(agpu__text *text, MlirOperation op) {
  for (size_t m = 0; m < sizeof(permutations) / sizeof(permutations[0]); ++m) {
    if (!agpu__attribute_has(op, "mode", permutations[m].mode))
      continue;
    uint64_t table = 0;
    for (int selector = 0; selector < 4; ++selector)
      for (int i = 0; i < 4; ++i)
        table |= (uint64_t)permutations[m].byte(selector, i)
                 << (16 * selector + 4 * i);
    agpu__text_printf(text,
                      "  %%table = llvm.mlir.constant(%lld : i64) : i64\n"
                      "  %%k3 = llvm.mlir.constant(3 : i32) : i32\n"
                      "  %%k4 = llvm.mlir.constant(4 : i32) : i32\n"
                      "  %%low = llvm.and %%asked, %%k3 : i32\n"
                      "  %%bits = llvm.shl %%low, %%k4 : i32\n"
                      "  %%places = llvm.zext %%bits : i32 to i64\n"
                      "  %%row = llvm.lshr %%table, %%places : i64\n"
                      "  %%selector = llvm.trunc %%row : i64 to i32\n",
                      (long long)table);
    return;
  }
  agpu__text_puts(text, "  %none = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %selector = llvm.or %asked, %none : i32\n");
}

/// Operands: the low word, a high one or none, and the selector. A digit of the
/// selector names a byte; its highest bit asks for the byte's sign alone.
void agpu__write_permute(agpu__text *text, MlirOperation op) {
  bool both = mlirOperationGetNumOperands(op) == 3;
  agpu__text_printf(text,
                    "  %%same = llvm.mlir.constant(0 : i32) : i32\n"
                    "  %%asked = llvm.or %%a%d, %%same : i32\n",
                    both ? 2 : 1);
  write_selector(text, op);
  agpu__text_puts(text, "  %c0 = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %c3 = llvm.mlir.constant(3 : i32) : i32\n"
                        "  %c7 = llvm.mlir.constant(7 : i32) : i32\n"
                        "  %c8 = llvm.mlir.constant(8 : i32) : i32\n"
                        "  %ff = llvm.mlir.constant(255 : i32) : i32\n"
                        "  %c32 = llvm.mlir.constant(32 : i64) : i64\n"
                        "  %lo = llvm.zext %a0 : i32 to i64\n");
  agpu__text_printf(text,
                    "  %%hi = llvm.zext %%%s : i32 to i64\n"
                    "  %%high = llvm.shl %%hi, %%c32 : i64\n"
                    "  %%all = llvm.or %%high, %%lo : i64\n"
                    "  %%r0 = llvm.or %%c0, %%c0 : i32\n",
                    both ? "a1" : "c0");
  for (int i = 0; i < 4; ++i) {
    agpu__text_printf(text,
                      "  %%at%d = llvm.mlir.constant(%d : i32) : i32\n"
                      "  %%to%d = llvm.mlir.constant(%d : i32) : i32\n",
                      i, 4 * i, i, 8 * i);
    agpu__text_printf(text,
                      "  %%digit%d = llvm.lshr %%selector, %%at%d : i32\n"
                      "  %%byte%d = llvm.and %%digit%d, %%c7 : i32\n"
                      "  %%bits%d = llvm.shl %%byte%d, %%c3 : i32\n"
                      "  %%places%d = llvm.zext %%bits%d : i32 to i64\n"
                      "  %%shifted%d = llvm.lshr %%all, %%places%d : i64\n"
                      "  %%narrow%d = llvm.trunc %%shifted%d : i64 to i8\n"
                      "  %%plain%d = llvm.zext %%narrow%d : i8 to i32\n"
                      "  %%wide%d = llvm.sext %%narrow%d : i8 to i32\n"
                      "  %%sign%d = llvm.ashr %%wide%d, %%c7 : i32\n"
                      "  %%signs%d = llvm.and %%sign%d, %%ff : i32\n",
                      i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i,
                      i);
    agpu__text_printf(
        text,
        "  %%mode%d = llvm.and %%digit%d, %%c8 : i32\n"
        "  %%is%d = llvm.icmp \"ne\" %%mode%d, %%c0 : i32\n"
        "  %%value%d = llvm.select %%is%d, %%signs%d, %%plain%d : i1, i32\n"
        "  %%placed%d = llvm.shl %%value%d, %%to%d : i32\n"
        "  %%r%d = llvm.or %%r%d, %%placed%d : i32\n",
        i, i, i, i, i, i, i, i, i, i, i, i + 1, i, i);
  }
  agpu__text_puts(text, "  %r = llvm.or %r4, %c0 : i32\n");
}

/// `%r` is %a2 and the products of the elements of %a0 and of %a1, from `first`
/// on, as wide as an i32.
static void write_dot(agpu__text *text, MlirOperation op, int elements,
                      const char *a_element, int first) {
  const char *a_extend =
      agpu__attribute_has(op, "a_type", "unsigned") ? "zext" : "sext";
  const char *b_extend =
      agpu__attribute_has(op, "b_type", "unsigned") ? "zext" : "sext";
  agpu__text_puts(text, "  %zero = llvm.mlir.constant(0 : i32) : i32\n"
                        "  %s0 = llvm.add %a2, %zero : i32\n");
  for (int i = 0; i < elements; ++i)
    agpu__text_printf(
        text,
        "  %%ai%d = llvm.mlir.constant(%d : i32) : i32\n"
        "  %%bi%d = llvm.mlir.constant(%d : i32) : i32\n"
        "  %%ae%d = llvm.extractelement %%a0[%%ai%d : i32] : vector<%dx%s>\n"
        "  %%be%d = llvm.extractelement %%a1[%%bi%d : i32] : vector<4xi8>\n"
        "  %%aw%d = llvm.%s %%ae%d : %s to i32\n"
        "  %%bw%d = llvm.%s %%be%d : i8 to i32\n"
        "  %%p%d = llvm.mul %%aw%d, %%bw%d : i32\n"
        "  %%s%d = llvm.add %%s%d, %%p%d : i32\n",
        i, i, i, first + i, i, i, elements, a_element, i, i, i, a_extend, i,
        a_element, i, b_extend, i, i, i, i, i + 1, i, i);
  agpu__text_printf(text, "  %%r = llvm.add %%s%d, %%zero : i32\n", elements);
}

void agpu__write_dot_4(agpu__text *text, MlirOperation op) {
  write_dot(text, op, 4, "i8", 0);
}

void agpu__write_dot_2(agpu__text *text, MlirOperation op) {
  write_dot(text, op, 2, "i16",
            agpu__attribute_has(op, "b_hi", "true") ? 2 : 0);
}
