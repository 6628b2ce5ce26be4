//===- move.c - Moves between registers ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions: mov": copies, addresses
// of variables and functions, and packing of vectors.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

static uint64_t copy(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0];
}

/// A predicate may be moved from an immediate, of which any bit counts.
static uint64_t copy_predicate(const ptx_insn *i, const uint64_t *s) {
  (void)i;
  return s[0] != 0;
}

static void pack(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_operand *from = &insn->operands[1];
  unsigned bits = ptx_type_bits(insn->type) / (unsigned)from->count;
  uint64_t value = 0;
  for (unsigned i = 0; i < from->count; ++i)
    value |= (ptx_read(warp, insn, &from->elements[i], lane) & ptx_mask(bits))
             << (i * bits);
  ptx_write(warp, &insn->operands[0], lane, value);
}

static void unpack(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_operand *to = &insn->operands[0];
  unsigned bits = ptx_type_bits(insn->type) / (unsigned)to->count;
  uint64_t value = ptx_read(warp, insn, &insn->operands[1], lane);
  for (unsigned i = 0; i < to->count; ++i)
    ptx_write(warp, &to->elements[i], lane,
              value >> (i * bits) & ptx_mask(bits));
}

bool ptx_select_move(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "mov") || insn->operand_count != 2 || !insn->type ||
      ptx_type_bits(insn->type) > 64)
    return false;
  const ptx_operand *to = &insn->operands[0], *from = &insn->operands[1];
  if (to->kind == PTX_VECTOR && to->count)
    return ptx_use_step(insn, unpack);
  if (from->kind == PTX_VECTOR && from->count)
    return ptx_use_step(insn, pack);
  if (insn->type == PTX_pred && ptx_use(insn, copy_predicate, 1)) {
    insn->source_types[0] = from->kind == PTX_IMMEDIATE ? PTX_b32 : PTX_pred;
    return true;
  }
  return ptx_use(insn, copy, 1);
}
