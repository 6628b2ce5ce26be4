//===- mma_scales.c - Scales of the factors of mma -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Block Scaling for mma.sync": of each four threads the pair that
// thread-id-a names (0: the lower two) has the scales of A, the first those of
// row groupID, the second of row groupID + 8; the thread that thread-id-b names
// has those of column groupID of B. byte-id names the first of their bytes.
// Elements times their scale are exact in doubles.
//
//===----------------------------------------------------------------------===//

#include "machine/mma_scales.h"

#include "machine/numbers.h"

#include <math.h>
#include <string.h>

/// The table of valid combinations.
static const struct combination {
  const char *kind, *count, *type; ///< count: empty where it is left out
  unsigned scales;
} combinations[] = {
    {"kind::mxf8f6f4", "scale_vec::1X", "ue8m0", 1},
    {"kind::mxf4", "scale_vec::2X", "ue8m0", 2},
    {"kind::mxf4nvf4", "scale_vec::2X", "ue8m0", 2},
    {"kind::mxf4nvf4", "scale_vec::4X", "ue8m0", 4},
    {"kind::mxf4nvf4", "scale_vec::4X", "ue4m3", 4},
    {"kind::mxf8f6f4", "", "ue8m0", 1},
    {"kind::mxf4", "", "ue8m0", 2},
};

static const struct combination *find(const ptx_insn *insn) {
  bool says_count = false;
  for (size_t i = 1; i < insn->part_count; ++i)
    says_count |= strncmp(insn->parts[i], "scale_vec::", 11) == 0;
  for (size_t i = 0; i < sizeof combinations / sizeof *combinations; ++i) {
    const struct combination *c = &combinations[i];
    if (ptx_insn_has(insn, c->kind) && ptx_insn_has(insn, c->type) &&
        (says_count ? ptx_insn_has(insn, c->count) : !*c->count))
      return c;
  }
  return NULL;
}

bool ptx_has_scales(const ptx_insn *insn) {
  size_t last = insn->operand_count - 1;
  return insn->operand_count >= 8 && find(insn) &&
         insn->operands[last].kind == PTX_VECTOR &&
         insn->operands[last].count == 2 &&
         insn->operands[last - 2].kind == PTX_VECTOR &&
         insn->operands[last - 2].count == 2;
}

static double value_of(const struct combination *c, unsigned byte) {
  if (strcmp(c->type, "ue4m3") == 0)
    return ptx_value(PTX_e4m3, byte & 0x7f);
  return byte == 255 ? (double)NAN : ldexp(1, (int)byte - 127);
}

/// A selector, which is the same in all threads.
static unsigned selector(ptx_warp *warp, const ptx_insn *insn,
                         const ptx_operand *o, unsigned step, unsigned end) {
  unsigned value = (unsigned)ptx_read(warp, insn, o, 0) & 0xffff;
  if (value % step || value >= end)
    ptx_fault(warp, insn, 0, PTX_LAUNCH_FAILED, "selector %u of scales", value);
  return value;
}

void ptx_scale_factors(ptx_warp *warp, const ptx_insn *insn, unsigned k,
                       double *a, double *b) {
  if (!ptx_insn_has(insn, "block_scale"))
    return;
  const struct combination *c = find(insn);
  const ptx_operand *o = &insn->operands[insn->operand_count - 4];
  unsigned byte_a = selector(warp, insn, &o[1].elements[0], c->scales, 4);
  unsigned thread_a = selector(warp, insn, &o[1].elements[1], 1, 2);
  unsigned byte_b = selector(warp, insn, &o[3].elements[0], c->scales, 4);
  unsigned thread_b = selector(warp, insn, &o[3].elements[1], 1, 4);
  unsigned length = k / c->scales;
  for (unsigned x = 0; x < k; ++x) {
    for (unsigned row = 0; row < 16; ++row) {
      unsigned lane = row % 8 * 4 + 2 * thread_a + row / 8;
      uint64_t bytes = ptx_read(warp, insn, &o[0], lane);
      a[row * k + x] *= value_of(c, bytes >> (8 * (byte_a + x / length)) & 255);
    }
    for (unsigned column = 0; column < 8; ++column) {
      uint64_t bytes = ptx_read(warp, insn, &o[2], 4 * column + thread_b);
      b[x * 8 + column] *=
          value_of(c, bytes >> (8 * (byte_b + x / length)) & 255);
    }
  }
}
