//===- combiners.c - Ops that reductions combine with ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of ops that combine partial results, with the number that each can
// begin with: for parallel loops of the host and for kernels of linalg.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

static const agpu__combiner combiners[] = {
    {"arith.addf", "add", AGPU__NEUTRAL_MINUS_ZERO, false},
    {"arith.addi", "add", AGPU__NEUTRAL_ZERO, false},
    {"arith.mulf", "mul", AGPU__NEUTRAL_ONE, false},
    {"arith.muli", "mul", AGPU__NEUTRAL_ONE, false},
    {"arith.maximumf", "maximumf", AGPU__NEUTRAL_LOWEST, true},
    {"arith.minimumf", "minimumf", AGPU__NEUTRAL_HIGHEST, true},
    {"arith.maxnumf", NULL, AGPU__NEUTRAL_NONE, true},
    {"arith.minnumf", NULL, AGPU__NEUTRAL_NONE, true},
    {"arith.maxsi", "maxsi", AGPU__NEUTRAL_LOWEST, true},
    {"arith.minsi", "minsi", AGPU__NEUTRAL_HIGHEST, true},
    {"arith.maxui", "maxui", AGPU__NEUTRAL_ZERO, true},
    {"arith.minui", "minui", AGPU__NEUTRAL_ALL_ONES, true},
    {"arith.andi", "and", AGPU__NEUTRAL_ALL_ONES, true},
    {"arith.ori", "or", AGPU__NEUTRAL_ZERO, true},
    {"arith.xori", "xor", AGPU__NEUTRAL_ZERO, false},
};

const agpu__combiner *agpu__find_combiner(MlirOperation op) {
  for (size_t i = 0; i < AGPU__COUNT(combiners); ++i)
    if (agpu__op_is(op, combiners[i].op))
      return &combiners[i];
  return NULL;
}

char *agpu__neutral_text(const agpu__combiner *combiner, const char *type) {
  static const struct {
    const char *type, *zero, *minus_zero, *one, *lowest, *highest;
  } known[] = {
      {"f16", "0.0", "-0.0", "1.0", "0xFC00", "0x7C00"},
      {"bf16", "0.0", "-0.0", "1.0", "0xFF80", "0x7F80"},
      {"f32", "0.0", "-0.0", "1.0", "0xFF800000", "0x7F800000"},
      {"f64", "0.0", "-0.0", "1.0", "0xFFF0000000000000", "0x7FF0000000000000"},
      {"i8", "0", "0", "1", "-128", "127"},
      {"i16", "0", "0", "1", "-32768", "32767"},
      {"i32", "0", "0", "1", "-2147483648", "2147483647"},
      {"i64", "0", "0", "1", "-9223372036854775808", "9223372036854775807"},
  };
  for (size_t i = 0; i < AGPU__COUNT(known); ++i) {
    if (strcmp(known[i].type, type) != 0)
      continue;
    const char *text = NULL;
    switch (combiner->neutral) {
    case AGPU__NEUTRAL_NONE: return NULL;
    case AGPU__NEUTRAL_ZERO: text = known[i].zero; break;
    case AGPU__NEUTRAL_MINUS_ZERO: text = known[i].minus_zero; break;
    case AGPU__NEUTRAL_ONE: text = known[i].one; break;
    case AGPU__NEUTRAL_LOWEST: text = known[i].lowest; break;
    case AGPU__NEUTRAL_HIGHEST: text = known[i].highest; break;
    case AGPU__NEUTRAL_ALL_ONES: text = "-1"; break;
    }
    return agpu__format("%s", text);
  }
  return NULL;
}
