//===- tensor.c - Matrices of shared memory ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, ldmatrix and stmatrix: matrices of 8x8 half words in shared memory,
// and in the registers of a warp.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/fragment.h"

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// Lanes 8 m to 8 m + 7 have the addresses of the rows of matrix m. Lane l
/// holds the elements (l / 4, 2 (l % 4)) and the one beside it; transposed,
/// below it.
static void move_matrices(ptx_warp *warp, const ptx_insn *insn,
                          uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  bool is_store = ptx_insn_is(insn, "stmatrix");
  const ptx_operand *values = &insn->operands[is_store];
  const ptx_operand *address = &insn->operands[!is_store];
  bool is_transposed = insn->flags & PTX_TRANSPOSED;
  for (unsigned m = 0; m < insn->vector; ++m) {
    uint8_t *rows[8];
    for (unsigned r = 0; r < 8; ++r)
      rows[r] =
          ptx_memory_at(warp, insn, 8 * m + r, insn->space,
                        ptx_address_of(warp, insn, address, 8 * m + r), 16, 16);
    for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
      uint64_t loaded = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row = lane / 4, column = 2 * (lane % 4) + e;
        uint8_t *at = is_transposed ? rows[column] + (size_t)2 * row
                                    : rows[row] + (size_t)2 * column;
        if (is_store)
          ptx_store(at, 2,
                    ptx_read(warp, insn, ptx_part(values, m), lane) >>
                        (16 * e));
        else
          loaded |= ptx_load(at, 2) << (16 * e);
      }
      if (!is_store)
        ptx_write(warp, ptx_part(values, m), lane, loaded);
    }
  }
}

bool ptx_select_tensor(ptx_insn *insn) {
  return (ptx_insn_is(insn, "ldmatrix") || ptx_insn_is(insn, "stmatrix")) &&
         insn->vector && insn->operand_count == 2 &&
         ptx_insn_has(insn, "m8n8") && insn->type == PTX_b16 &&
         ptx_use_together(insn, move_matrices);
}
