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

/// One of the manual's figures. A register holds `elements` of a matrix, the
/// first in its lowest bits.
typedef struct figure {
  const char *shape, *format; ///< parts of the mnemonic
  unsigned rows;              ///< in memory, each of 16 bytes at most
  unsigned registers;         ///< of a matrix
  unsigned elements;          ///< of a register
  unsigned bits;              ///< of an element in memory
  bool loads, stores, transposes;
} figure;

// "Only .trans" is said of m16n16 and m16n8, and never of m8n16.
static const figure figures[] = {
    {"m8n8", "b16", 8, 1, 2, 16, true, true, false},
    {"m16n16", "b8", 16, 2, 4, 8, true, false, true},
    {"m16n16", "b6x16_p32", 16, 2, 4, 6, true, false, true},
    {"m16n16", "b4x16_p64", 16, 2, 4, 4, true, false, true},
    {"m8n16", "b6x16_p32", 8, 1, 4, 6, true, false, false},
    {"m8n16", "b4x16_p64", 8, 1, 4, 4, true, false, false},
    {"m16n8", "b8", 8, 1, 4, 8, false, true, true},
};

static const figure *find_figure(const ptx_insn *insn) {
  for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i)
    if (ptx_insn_has(insn, figures[i].shape) &&
        ptx_insn_has(insn, figures[i].format))
      return &figures[i];
  return NULL;
}

/// The row in memory, and the place in it, of element e of register r.
static unsigned find_element(const figure *f, bool is_transposed, unsigned lane,
                             unsigned r, unsigned e, unsigned *out_place) {
  unsigned group = lane / 4, in_group = lane % 4;
  if (f->rows == 16) { // four of a column, and four of that 8 further on
    *out_place = group + 8 * r;
    return 4 * in_group + e;
  }
  if (f->stores && f->elements == 4) { // as C of mma lies, by columns
    *out_place = group + 8 * (e / 2);
    return 2 * in_group + e % 2;
  }
  if (is_transposed) {
    *out_place = group;
    return 2 * in_group + e;
  }
  *out_place = f->elements * in_group + e;
  return group;
}

/// An element may begin in the middle of a byte.
static uint64_t load_element(const uint8_t *row, unsigned bits,
                             unsigned place) {
  uint64_t value = 0;
  for (unsigned b = 0; b < bits; ++b) {
    unsigned at = place * bits + b;
    value |= (uint64_t)(row[at / 8] >> at % 8 & 1) << b;
  }
  return value;
}

static void move_matrices(ptx_warp *warp, const ptx_insn *insn,
                          uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  const figure *f = find_figure(insn);
  bool is_store = ptx_insn_is(insn, "stmatrix");
  const ptx_operand *values = &insn->operands[is_store];
  const ptx_operand *address = &insn->operands[!is_store];
  bool is_transposed = insn->flags & PTX_TRANSPOSED;
  unsigned width = 32 / f->elements;
  for (unsigned m = 0; m < insn->vector; ++m) {
    uint8_t *rows[16];
    for (unsigned r = 0; r < f->rows; ++r)
      rows[r] = ptx_memory_at(
          warp, insn, f->rows * m + r, insn->space,
          ptx_address_of(warp, insn, address, f->rows * m + r), 16, 16);
    for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
      for (unsigned r = 0; r < f->registers; ++r) {
        const ptx_operand *value = ptx_part(values, m * f->registers + r);
        uint64_t loaded = 0;
        for (unsigned e = 0; e < f->elements; ++e) {
          unsigned place,
              row = find_element(f, is_transposed, lane, r, e, &place);
          if (is_store)
            ptx_store(rows[row] + (size_t)place * width / 8, width / 8,
                      ptx_read(warp, insn, value, lane) >> (width * e));
          else
            loaded |= load_element(rows[row], f->bits, place) << (width * e);
        }
        if (!is_store)
          ptx_write(warp, value, lane, loaded);
      }
  }
}

bool ptx_select_tensor(ptx_insn *insn) {
  bool is_store = ptx_insn_is(insn, "stmatrix");
  if ((!is_store && !ptx_insn_is(insn, "ldmatrix")) || !insn->vector ||
      insn->operand_count != 2)
    return false;
  const figure *f = find_figure(insn);
  bool is_transposed = insn->flags & PTX_TRANSPOSED;
  return f && (is_store ? f->stores : f->loads) &&
         insn->vector * f->registers <= 4 &&
         (f->elements == 2 || f->transposes == is_transposed) &&
         ptx_use_together(insn, move_matrices);
}
