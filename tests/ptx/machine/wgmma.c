//===- wgmma.c - Matrix products of a warp group
//---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async with both factors in shared memory, of floats with 16 bits
// and sums of 32: a thread computes the elements that the manual's figure of
// the fragment of D gives it. Sums are made in 64 bits and rounded once.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

#include <stdlib.h>

typedef struct matrix {
  uint64_t start, leading, stride, span; ///< span: bytes that are swizzled
  bool is_transposed;                    ///< K is not the contiguous dimension
} matrix;

static matrix decode(uint64_t descriptor, bool is_transposed) {
  static const uint64_t spans[] = {16, 128, 64, 32};
  return (matrix){.start = (descriptor & 0x3fff) << 4,
                  .leading = (descriptor >> 16 & 0x3fff) << 4,
                  .stride = (descriptor >> 32 & 0x3fff) << 4,
                  .span = spans[descriptor >> 62],
                  .is_transposed = is_transposed};
}

/// Element `k` of line `line` (a row of A, a column of B), of two bytes. A
/// matrix is made of groups of 8 spans.
static uint64_t address_of(const matrix *m, uint64_t line, uint64_t k) {
  uint64_t along = 2 * (m->is_transposed ? line : k);
  uint64_t across = m->is_transposed ? k : line;
  uint64_t address = m->start + across % 8 * m->span + along % m->span;
  bool is_plain = m->span == 16;
  uint64_t next_span = m->leading, next_group = m->stride;
  if (is_plain && m->is_transposed) {
    next_span = m->stride;
    next_group = m->leading;
  }
  address += across / 8 * next_group + along / m->span * next_span;
  uint64_t rows = m->span / 16 - 1; // 0, 1, 3, 7
  return address ^ (address >> 7 & rows) << 4;
}

static double element(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                      const matrix *m, uint64_t line, uint64_t k) {
  uint64_t bits = ptx_load(
      ptx_memory_at(warp, insn, lane, PTX_SHARED, address_of(m, line, k), 2, 2),
      2);
  return ptx_value(insn->type2, bits);
}

static void multiply(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_operand *o = insn->operands;
  unsigned depth = 16;
  uint64_t descriptors[2];
  for (int i = 0; i < 2; ++i)
    descriptors[i] = ptx_read(warp, insn, &o[1 + i], lane);
  bool adds = ptx_read(warp, insn, &o[3], lane) & 1;
  double sign = 1;
  for (int i = 4; i < 6; ++i)
    if ((int32_t)ptx_read(warp, insn, &o[i], lane) < 0)
      sign = -sign;
  matrix a = decode(descriptors[0], ptx_read(warp, insn, &o[6], lane) & 1);
  matrix b = decode(descriptors[1], ptx_read(warp, insn, &o[7], lane) & 1);
  for (size_t i = 0; i < o[0].count; ++i) {
    uint64_t row = 16 * (warp->number % 4) + lane / 4 + (i & 2) * 4;
    uint64_t column = i / 4 * 8 + lane % 4 * 2 + (i & 1);
    double sum =
        adds ? (double)ptx_f32(ptx_read(warp, insn, &o[0].elements[i], lane))
             : 0;
    for (unsigned k = 0; k < depth; ++k)
      sum += sign * element(warp, insn, lane, &a, row, k) *
             element(warp, insn, lane, &b, column, k);
    ptx_write(warp, &o[0].elements[i], lane, ptx_f32_bits((float)sum));
  }
}

static void do_nothing(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  (void)warp;
  (void)insn;
  (void)lane;
}

bool ptx_select_wgmma(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "wgmma"))
    return false;
  if (!ptx_insn_has(insn, "mma_async"))
    return ptx_use_step(insn, do_nothing);
  return insn->operand_count == 8 && insn->operands[0].kind == PTX_VECTOR &&
         insn->type == PTX_f32 &&
         (insn->type2 == PTX_f16 || insn->type2 == PTX_bf16) &&
         ptx_use_step(insn, multiply);
}
