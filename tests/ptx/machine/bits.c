//===- bits.c - Shifts, bit fields and bytes -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Logic and Shift Instructions", the bit instructions of "Integer
// Arithmetic Instructions", and prmt.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

static unsigned bits_of(const ptx_insn *i) { return ptx_type_bits(i->type); }

/// "Shift amounts greater than the register width N are clamped to N."
static uint64_t shl(const ptx_insn *i, const uint64_t *s) {
  return s[1] >= bits_of(i) ? 0 : s[0] << s[1];
}

static uint64_t shr(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  if (!ptx_type_is_signed(i->type))
    return s[1] >= bits ? 0 : s[0] >> s[1];
  return (uint64_t)(ptx_signed(s[0], bits) >> (s[1] >= bits ? bits - 1 : s[1]));
}

/// Funnel shift: the upper 32 bits of b:a shifted left, the lower ones right.
static uint64_t shf(const ptx_insn *i, const uint64_t *s) {
  uint64_t both = s[1] << 32 | s[0];
  unsigned by = (unsigned)(i->flags & PTX_WRAP ? s[2] & 31
                           : s[2] > 32         ? 32
                                               : s[2]);
  if (!(i->flags & PTX_LEFT))
    return both >> by;
  return by == 32 ? s[0] : both << by >> 32;
}

static uint64_t bfe(const ptx_insn *i, const uint64_t *s) {
  unsigned top = bits_of(i) - 1, at = s[1] & 255, length = s[2] & 255;
  unsigned last = at + length - 1 < top ? at + length - 1 : top;
  bool sign = ptx_type_is_signed(i->type) && length && (s[0] >> last & 1);
  uint64_t field = at > top ? 0 : s[0] >> at;
  unsigned kept = at > top ? 0 : last - at + 1;
  if (length < kept || !length)
    kept = length;
  field &= ptx_mask(kept);
  return sign ? field | ~ptx_mask(kept) : field;
}

static uint64_t bfi(const ptx_insn *i, const uint64_t *s) {
  unsigned at = s[2] & 255, length = s[3] & 255;
  if (at >= bits_of(i))
    return s[1];
  uint64_t field = ptx_mask(length) << at;
  return (s[1] & ~field) | (s[0] << at & field);
}

static uint64_t leading_zeros(uint64_t value, unsigned bits) {
  return value ? (uint64_t)__builtin_clzll(value) - (64 - bits) : bits;
}

static uint64_t clz(const ptx_insn *i, const uint64_t *s) {
  return leading_zeros(s[0], bits_of(i));
}

static uint64_t bfind(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  uint64_t value = s[0];
  if (ptx_type_is_signed(i->type) && value >> (bits - 1) & 1)
    value = ~value & ptx_mask(bits);
  if (!value)
    return ptx_mask(32);
  uint64_t zeros = leading_zeros(value, bits);
  return i->flags & PTX_SHIFT_AMOUNT ? zeros : bits - 1 - zeros;
}

static uint64_t brev(const ptx_insn *i, const uint64_t *s) {
  unsigned bits = bits_of(i);
  uint64_t result = 0;
  for (unsigned k = 0; k < bits; ++k)
    result |= (s[0] >> k & 1) << (bits - 1 - k);
  return result;
}

static uint64_t popc(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return (uint64_t)__builtin_popcountll(s[0]);
}

enum { PRMT_INDEX, F4E, B4E, RC8, ECL, ECR, RC16, PRMT_MODES };
static const char *const prmt_modes[] = {"",    "f4e", "b4e", "rc8",
                                         "ecl", "ecr", "rc16"};

/// Which byte of b:a the k-th one of the result is, by the table of prmt.
static unsigned prmt_selector(const ptx_insn *i, uint64_t c, unsigned k) {
  unsigned n = c & 3;
  switch (i->mode) {
  case F4E: return n + k;
  case B4E: return (n - k) & 7;
  case RC8: return n;
  case ECL: return k < n ? n : k;
  case ECR: return k < n ? k : n;
  case RC16: return 2 * (n & 1) + (k & 1);
  default: return (unsigned)(c >> (4 * k) & 15);
  }
}

static uint64_t prmt(const ptx_insn *i, const uint64_t *s) {
  uint64_t both = s[1] << 32 | s[0], result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    unsigned selector = prmt_selector(i, s[2], k);
    uint64_t byte = both >> (8 * (selector & 7)) & 255;
    if (selector & 8) // the sign of the byte instead
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * k);
  }
  return result;
}

bool ptx_select_bits(ptx_insn *insn) {
  static const struct {
    const char *operation;
    ptx_compute *compute;
    size_t count;
    size_t first_32; ///< sources from this one on are .b32, whatever the type
  } operations[] = {{"shl", shl, 2, 1},   {"shr", shr, 2, 1},
                    {"shf", shf, 3, 2},   {"bfe", bfe, 3, 1},
                    {"bfi", bfi, 4, 2},   {"clz", clz, 1, 1},
                    {"popc", popc, 1, 1}, {"bfind", bfind, 1, 1},
                    {"brev", brev, 1, 1}, {"prmt", prmt, 3, 3}};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (!ptx_insn_is(insn, operations[i].operation) ||
        !ptx_use(insn, operations[i].compute, operations[i].count))
      continue;
    for (size_t j = operations[i].first_32; j < operations[i].count; ++j)
      insn->source_types[j] = PTX_b32;
    for (uint8_t mode = 1; operations[i].compute == prmt && mode < PRMT_MODES;
         ++mode)
      if (ptx_insn_has(insn, prmt_modes[mode]))
        insn->mode = mode;
    return true;
  }
  return false;
}
