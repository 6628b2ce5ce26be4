//===- mma_quads.c - Four products of matrices a warp --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type",
// where each of four groups of eight lanes has matrices of its own, by rows or
// columns.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/fragment.h"

/// The lane that has a thing of group g: the j-th of its lower four, or of the
/// upper ones.
static unsigned lane_of(unsigned g, bool is_upper, unsigned j) {
  return 4 * g + j + (is_upper ? 16 : 0);
}

static double factor(ptx_warp *warp, const ptx_insn *insn, int operand,
                     unsigned lane, unsigned i) {
  return ptx_element_value(
      PTX_f16,
      ptx_read_element(warp, insn, &insn->operands[operand], 16, i, lane));
}

static double element_a(ptx_warp *warp, const ptx_insn *insn, unsigned g,
                        unsigned row, unsigned column) {
  bool by_rows = strcmp(insn->parts[insn->mode], "row") == 0;
  unsigned lane = lane_of(g, row >= 4, by_rows ? row % 4 : column);
  return factor(warp, insn, 1, lane, by_rows ? column : row % 4);
}

static double element_b(ptx_warp *warp, const ptx_insn *insn, unsigned g,
                        unsigned row, unsigned column) {
  bool by_rows = strcmp(insn->parts[insn->mode + 1], "row") == 0;
  unsigned lane = lane_of(g, column >= 4, by_rows ? row : column % 4);
  return factor(warp, insn, 2, lane, by_rows ? column % 4 : row);
}

/// Lane and index of an element of C or D.
static unsigned find_sum(ptx_type type, unsigned g, unsigned row,
                         unsigned column, unsigned *out_i) {
  if (type == PTX_f16) {
    *out_i = column;
    return lane_of(g, row >= 4, row % 4);
  }
  // row % 4 = (lane & 1) + (i & 2), column = (i & 4) + (lane & 2) + (i & 1)
  *out_i = (row & 2) | (column & 4) | (column & 1);
  return lane_of(g, row >= 4, (row & 1) | (column & 2));
}

static void mma_quads(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  ptx_type added = insn->type2 == PTX_f16 && insn->type3 == PTX_f16
                       ? ptx_type_find(insn->parts[insn->part_count - 1], 3)
                       : insn->type;
  double sums[4][8][8];
  for (unsigned g = 0; g < 4; ++g)
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        unsigned i, lane = find_sum(added, g, row, column, &i);
        double sum = ptx_element_value(
            added, ptx_read_element(warp, insn, &insn->operands[3],
                                    ptx_type_bits(added), i, lane));
        for (unsigned x = 0; x < 4; ++x)
          sum += element_a(warp, insn, g, row, x) *
                 element_b(warp, insn, g, x, column);
        sums[g][row][column] = sum;
      }
  for (unsigned g = 0; g < 4; ++g)
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        unsigned i, lane = find_sum(insn->type, g, row, column, &i);
        ptx_write_element(warp, insn, &insn->operands[0],
                          ptx_type_bits(insn->type), i, lane,
                          ptx_encode_sum(insn, sums[g][row][column]));
      }
}

bool ptx_select_mma_quads(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "mma") || !ptx_insn_has(insn, "m8n8k4") ||
      insn->type2 != PTX_f16 || insn->operand_count != 4)
    return false;
  for (size_t i = 1; i < insn->part_count && !insn->mode; ++i)
    if (strcmp(insn->parts[i], "row") == 0 ||
        strcmp(insn->parts[i], "col") == 0)
      insn->mode = (uint8_t)i;
  return insn->mode && ptx_use_together(insn, mma_quads);
}
