//===- integer.c - Integer arithmetic ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Integer Arithmetic Instructions", and the logic of "Logic and Shift
// Instructions". Sources come cut to the type's width; results are cut when
// they are written.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide;

static unsigned bits_of(const ptx_insn *i) { return ptx_type_bits(i->type); }
static bool is_signed(const ptx_insn *i) { return ptx_type_is_signed(i->type); }

static uint64_t saturated(int64_t value) {
  return (uint64_t)(value > INT32_MAX   ? INT32_MAX
                    : value < INT32_MIN ? INT32_MIN
                                        : value);
}

static uint64_t add(const ptx_insn *i, const uint64_t *s) {
  if (i->flags & PTX_SAT) // .s32 only
    return saturated(ptx_signed(s[0], 32) + ptx_signed(s[1], 32));
  return s[0] + s[1];
}

static uint64_t sub(const ptx_insn *i, const uint64_t *s) {
  if (i->flags & PTX_SAT)
    return saturated(ptx_signed(s[0], 32) - ptx_signed(s[1], 32));
  return s[0] - s[1];
}

static wide product(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  if (is_signed(i))
    return (wide)((wide_signed)ptx_signed(s[0], bits) * ptx_signed(s[1], bits));
  return (wide)s[0] * s[1];
}

static uint64_t mul(const ptx_insn *i, const uint64_t *s) {
  wide all = product(i, s);
  return (uint64_t)(i->flags & PTX_HI ? all >> bits_of(i) : all);
}

static uint64_t mad(const ptx_insn *i, const uint64_t *s) {
  if (i->flags & PTX_HI && i->flags & PTX_SAT)
    return saturated(ptx_signed(mul(i, s), 32) + ptx_signed(s[2], 32));
  return mul(i, s) + s[2];
}

/// "Division by zero yields an unspecified, machine-specific value": poison.
static uint64_t divide(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  if (s[1] == 0)
    return PTX_POISON;
  if (!is_signed(i))
    return s[0] / s[1];
  int64_t by = ptx_signed(s[1], bits);
  return by == -1 ? (uint64_t)0 - s[0]
                  : (uint64_t)(ptx_signed(s[0], bits) / by);
}

static uint64_t remainder_of(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  if (s[1] == 0)
    return PTX_POISON;
  if (!is_signed(i))
    return s[0] % s[1];
  int64_t by = ptx_signed(s[1], bits);
  return by == -1 ? 0 : (uint64_t)(ptx_signed(s[0], bits) % by);
}

static uint64_t absolute(const ptx_insn *i, const uint64_t *s) {
  bool is_negative = s[0] >> (bits_of(i) - 1) & 1;
  return is_negative ? (uint64_t)0 - s[0] : s[0];
}

static uint64_t negate(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return (uint64_t)0 - s[0];
}

static bool is_less(const ptx_insn *i, uint64_t a, uint64_t b) {
  unsigned bits = bits_of(i);
  return is_signed(i) ? ptx_signed(a, bits) < ptx_signed(b, bits) : a < b;
}

static uint64_t minimum(const ptx_insn *i, const uint64_t *s) {
  return is_less(i, s[1], s[0]) ? s[1] : s[0];
}

static uint64_t maximum(const ptx_insn *i, const uint64_t *s) {
  return is_less(i, s[0], s[1]) ? s[1] : s[0];
}

static uint64_t sad(const ptx_insn *i, const uint64_t *s) {
  return s[2] + (is_less(i, s[0], s[1]) ? s[1] - s[0] : s[0] - s[1]);
}

/// The k-th part of `bits` of a value, by the sign of a type.
static int64_t part_of(ptx_type type, uint64_t value, unsigned k,
                       unsigned bits) {
  uint64_t part = value >> (k * bits) & ptx_mask(bits);
  return ptx_type_is_signed(type) ? ptx_signed(part, bits) : (int64_t)part;
}

static uint64_t dot4(const ptx_insn *i, const uint64_t *s) {
  int64_t sum = 0;
  for (unsigned k = 0; k < 4; ++k)
    sum += part_of(i->type, s[0], k, 8) * part_of(i->type2, s[1], k, 8);
  return s[2] + (uint64_t)sum;
}

static uint64_t dot2(const ptx_insn *i, const uint64_t *s) {
  unsigned half = i->flags & PTX_HI ? 2 : 0;
  int64_t sum = 0;
  for (unsigned k = 0; k < 2; ++k)
    sum += part_of(i->type, s[0], k, 16) * part_of(i->type2, s[1], half + k, 8);
  return s[2] + (uint64_t)sum;
}

static uint64_t and_of(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0] & s[1];
}
static uint64_t or_of(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0] | s[1];
}
static uint64_t xor_of(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0] ^ s[1];
}
static uint64_t not_of(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return ~s[0];
}
static uint64_t cnot(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0] == 0;
}

/// lop3: bit k of the table is the result for a, b and c with k = abc.
static uint64_t lop3(const ptx_insn *i, const uint64_t *s) {
  uint64_t result = 0;
  (void)i;
  for (unsigned bit = 0; bit < 32; ++bit) {
    uint64_t k =
        (s[0] >> bit & 1) << 2 | (s[1] >> bit & 1) << 1 | (s[2] >> bit & 1);
    result |= (s[3] >> k & 1) << bit;
  }
  return result;
}

static const struct {
  const char *operation;
  ptx_compute *compute;
  size_t count;
} integers[] = {
    {"add", add, 2},      {"sub", sub, 2},    {"mul", mul, 2},
    {"mad", mad, 3},      {"div", divide, 2}, {"rem", remainder_of, 2},
    {"abs", absolute, 1}, {"neg", negate, 1}, {"min", minimum, 2},
    {"max", maximum, 2},  {"sad", sad, 3},    {"dp4a", dot4, 3},
    {"dp2a", dot2, 3},    {"and", and_of, 2}, {"or", or_of, 2},
    {"xor", xor_of, 2},   {"not", not_of, 1}, {"cnot", cnot, 1},
    {"lop3", lop3, 4},
};

bool ptx_select_integer(ptx_insn *insn) {
  if (ptx_type_is_float(insn->type) || insn->flags & PTX_CARRY_OUT)
    return false;
  for (size_t i = 0; i < sizeof integers / sizeof *integers; ++i) {
    if (!ptx_insn_is(insn, integers[i].operation) ||
        !ptx_use(insn, integers[i].compute, integers[i].count))
      continue;
    if (insn->flags & PTX_WIDE) // the addend has the width of the result
      insn->source_types[2] = bits_of(insn) == 16 ? PTX_b32 : PTX_b64;
    if (integers[i].compute == dot4 || integers[i].compute == dot2)
      insn->source_types[0] = insn->source_types[1] = insn->source_types[2] =
          PTX_b32;
    return true;
  }
  return false;
}
