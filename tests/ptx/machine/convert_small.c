//===- convert_small.c - Conversions of pairs of small floats ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cvt to and from .e4m3x2, .e5m2x2, .e2m3x2, .e3m2x2, .e2m1x2 and
// .ue8m0x2. These formats have few values: the nearest one is looked for among
// all of them.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <math.h>

static const struct small {
  const char *name;
  ptx_type type;
  unsigned bits;
  uint32_t most; ///< the code of the largest number
} smalls[] = {
    {"e4m3x2", PTX_e4m3, 8, 0x7e}, {"e5m2x2", PTX_e5m2, 8, 0x7b},
    {"e2m3x2", PTX_e2m3, 6, 0x1f}, {"e3m2x2", PTX_e3m2, 6, 0x1f},
    {"e2m1x2", PTX_e2m1, 4, 0x7},  {"ue8m0x2", PTX_ue8m0, 8, 0xfe},
};

static const struct small *find_small(const ptx_insn *insn) {
  for (size_t i = 0; i < sizeof smalls / sizeof *smalls; ++i)
    if (ptx_insn_has(insn, smalls[i].name))
      return &smalls[i];
  return NULL;
}

/// .satfinite, to nearest and, of two as near, the even one. NaN is the largest
/// code, whether that is one or not.
static uint64_t nearest(const struct small *small, double value, bool relu) {
  uint64_t sign = (uint64_t)1 << (small->bits - 1), best = 0;
  if (isnan(value))
    return sign - 1;
  if (relu && value <= 0)
    return 0;
  double size = fabs(value), least = (double)INFINITY;
  for (uint64_t code = 0; code <= small->most; ++code) {
    double away = fabs(ptx_value(small->type, code) - size);
    if (away < least || (away == least && code % 2 == 0)) {
      best = code;
      least = away;
    }
  }
  if (isinf(size))
    best = small->most;
  return best | (signbit(value) ? sign : 0);
}

/// A power of two, which has no sign: toward zero, or up.
static uint64_t scale_of(double value, bool up) {
  if (isnan(value))
    return 0xff;
  uint64_t code = 0;
  while (code < 0xfe && ldexp(1, (int)code - 127) < fabs(value))
    ++code;
  bool is_beyond = ldexp(1, (int)code - 127) > fabs(value);
  return is_beyond && !up && code ? code - 1 : code;
}

static uint64_t encode(const ptx_insn *insn, double value) {
  const struct small *small = find_small(insn);
  return small->type == PTX_ue8m0
             ? scale_of(value, insn->rounding == PTX_UP)
             : nearest(small, value, insn->flags & PTX_RELU);
}

/// The place of the upper of two.
static unsigned upper(const ptx_insn *insn) {
  return find_small(insn)->bits == 4 ? 4 : 8;
}

static uint64_t from_floats(const ptx_insn *insn, const uint64_t *s) {
  return encode(insn, (double)ptx_f32(s[0])) << upper(insn) |
         encode(insn, (double)ptx_f32(s[1]));
}

static uint64_t from_halves(const ptx_insn *insn, const uint64_t *s) {
  ptx_type type = ptx_insn_has(insn, "f16x2") ? PTX_f16 : PTX_bf16;
  return encode(insn, ptx_value(type, s[0] >> 16 & 0xffff)) << upper(insn) |
         encode(insn, ptx_value(type, s[0] & 0xffff));
}

static uint64_t to_half(const ptx_insn *insn, uint64_t code) {
  const struct small *small = find_small(insn);
  if (small->type == PTX_ue8m0)
    return ptx_encode(PTX_bf16,
                      code == 0xff ? (double)NAN : ldexp(1, (int)code - 127),
                      PTX_NEAREST);
  double value = ptx_value(small->type, code & ptx_mask(small->bits));
  if (insn->flags & PTX_RELU && value <= 0)
    value = 0;
  return ptx_encode(PTX_f16, value, PTX_NEAREST);
}

static uint64_t to_halves(const ptx_insn *insn, const uint64_t *s) {
  unsigned shift = upper(insn);
  return to_half(insn, s[0] >> shift & ptx_mask(shift)) << 16 |
         to_half(insn, s[0] & ptx_mask(shift));
}

bool ptx_select_convert_small(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "cvt") || !find_small(insn))
    return false;
  const struct small *small = find_small(insn);
  bool gives = strcmp(insn->parts[insn->part_count - 1], small->name) != 0;
  bool halves = ptx_insn_has(insn, "f16x2") || ptx_insn_has(insn, "bf16x2");
  size_t sources = gives && !halves ? 2 : 1;
  if (insn->operand_count != sources + 1 ||
      (gives && !ptx_insn_has(insn, "satfinite")))
    return false;
  insn->compute = !gives ? to_halves : halves ? from_halves : from_floats;
  insn->source_count = (uint8_t)sources;
  insn->result_type = !gives ? PTX_b32 : small->bits == 4 ? PTX_b8 : PTX_b16;
  for (size_t i = 0; i < sources; ++i)
    insn->source_types[i] = gives              ? PTX_b32
                            : small->bits == 4 ? PTX_b8
                                               : PTX_b16;
  return true;
}
