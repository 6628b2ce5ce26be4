//===- compare.c - Comparison and selection ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Comparison and Selection Instructions".
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <math.h>

/// X(name, for integers, result for less, equal, greater, unordered)
#define COMPARISONS(X)                                                         \
  X(eq, true, 0, 1, 0, 0)                                                      \
  X(ne, true, 1, 0, 1, 0)                                                      \
  X(lt, true, 1, 0, 0, 0)                                                      \
  X(le, true, 1, 1, 0, 0)                                                      \
  X(gt, true, 0, 0, 1, 0)                                                      \
  X(ge, true, 0, 1, 1, 0)                                                      \
  X(lo, true, 1, 0, 0, 0)                                                      \
  X(ls, true, 1, 1, 0, 0)                                                      \
  X(hi, true, 0, 0, 1, 0)                                                      \
  X(hs, true, 0, 1, 1, 0)                                                      \
  X(equ, false, 0, 1, 0, 1)                                                    \
  X(neu, false, 1, 0, 1, 1)                                                    \
  X(ltu, false, 1, 0, 0, 1)                                                    \
  X(leu, false, 1, 1, 0, 1)                                                    \
  X(gtu, false, 0, 0, 1, 1)                                                    \
  X(geu, false, 0, 1, 1, 1)                                                    \
  X(num, false, 1, 1, 1, 0)                                                    \
  X(nan, false, 0, 0, 0, 1)

enum { LESS, EQUAL, GREATER, UNORDERED };

static const struct {
  const char *name;
  bool for_integers;
  bool holds[4];
} comparisons[] = {
#define ENTRY(name, integers, less, equal, greater, unordered)                 \
  {#name, integers, {less, equal, greater, unordered}},
    COMPARISONS(ENTRY)
#undef ENTRY
};

static int relation(ptx_type type, uint32_t flags, uint64_t a, uint64_t b) {
  if (ptx_type_is_float(type)) {
    double x = ptx_value(type, a), y = ptx_value(type, b);
    if (type == PTX_f32 && flags & PTX_FTZ) {
      x = (double)ptx_flush((float)x);
      y = (double)ptx_flush((float)y);
    }
    return isnan(x) || isnan(y) ? UNORDERED
           : x < y              ? LESS
           : x > y              ? GREATER
                                : EQUAL;
  }
  if (a == b)
    return EQUAL;
  unsigned bits = ptx_type_bits(type);
  bool is_less = ptx_type_is_signed(type)
                     ? ptx_signed(a, bits) < ptx_signed(b, bits)
                     : a < b;
  return is_less ? LESS : GREATER;
}

enum { ALONE, AND, OR, XOR };

static bool combined(const ptx_insn *i, bool holds, bool with) {
  switch (i->vector) { // no vector here: the operator
  case AND: return holds && with;
  case OR: return holds || with;
  case XOR: return holds != with;
  default: return holds;
  }
}

/// Bit 0 is the result, bit 1 that of the second target: of the complement of
/// the comparison, combined alike.
static uint64_t setp(const ptx_insn *i, const uint64_t *s) {
  bool holds = comparisons[i->mode]
                   .holds[relation(i->source_types[0], i->flags, s[0], s[1])];
  return (uint64_t)combined(i, holds, s[2] & 1) |
         (uint64_t)combined(i, !holds, s[2] & 1) << 1;
}

static uint64_t set(const ptx_insn *i, const uint64_t *s) {
  if (!(setp(i, s) & 1))
    return 0;
  return i->type == PTX_f32 ? ptx_f32_bits(1)
                            : ptx_mask(ptx_type_bits(i->type));
}

static uint64_t selp(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[2] ? s[0] : s[1];
}

static uint64_t slct(const ptx_insn *i, const uint64_t *s) {
  bool is_first =
      i->type2 == PTX_f32 ? ptx_f32(s[2]) >= 0 : ptx_signed(s[2], 32) >= 0;
  return is_first ? s[0] : s[1];
}

static bool select_comparison(ptx_insn *insn, ptx_type compared) {
  static const char *const operators[] = {"", "and", "or", "xor"};
  size_t found = sizeof comparisons / sizeof *comparisons;
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; ++i)
    if (strcmp(insn->parts[1], comparisons[i].name) == 0)
      found = i;
  if (found == sizeof comparisons / sizeof *comparisons ||
      (!comparisons[found].for_integers && !ptx_type_is_float(compared)) ||
      ptx_element_type(compared) != compared)
    return false;
  insn->mode = (uint8_t)found;
  insn->flags &= ~(uint32_t)PTX_HI; // "hi" is a comparison here
  for (uint8_t i = AND; i <= XOR; ++i)
    if (ptx_insn_has(insn, operators[i]))
      insn->vector = i;
  ptx_compute *compute = ptx_insn_is(insn, "setp") ? setp : set;
  if (!ptx_use(insn, compute, insn->vector ? 3 : 2))
    return false;
  insn->source_types[0] = insn->source_types[1] = compared;
  insn->source_types[2] = PTX_pred;
  return true;
}

bool ptx_select_compare(ptx_insn *insn) {
  if (insn->part_count > 1 && ptx_insn_is(insn, "setp"))
    return select_comparison(insn, insn->type);
  if (insn->part_count > 1 && ptx_insn_is(insn, "set"))
    return select_comparison(insn, insn->type2);
  if (ptx_insn_is(insn, "selp") && ptx_use(insn, selp, 3)) {
    insn->source_types[2] = PTX_pred;
    return true;
  }
  if (ptx_insn_is(insn, "slct") && ptx_use(insn, slct, 3)) {
    insn->source_types[2] = PTX_b32;
    return true;
  }
  return false;
}
