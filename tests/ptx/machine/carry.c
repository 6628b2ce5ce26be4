//===- carry.c - Extended-precision integer arithmetic -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Extended-Precision Integer Arithmetic Instructions": add.cc, addc,
// sub.cc, subc, mad.cc and madc, over the condition code register of a thread.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide;

enum { ADD, SUB, MAD };
enum { TAKES_CARRY = 4 };

static uint64_t source(ptx_warp *warp, const ptx_insn *insn, size_t number,
                       unsigned lane) {
  return ptx_read(warp, insn, &insn->operands[1 + number], lane) &
         ptx_mask(ptx_type_bits(insn->type));
}

/// What is added or subtracted from: a, or a part of a * b.
static uint64_t first_term(const ptx_insn *insn, uint64_t a, uint64_t b) {
  unsigned bits = ptx_type_bits(insn->type);
  wide all =
      ptx_type_is_signed(insn->type)
          ? (wide)((wide_signed)ptx_signed(a, bits) * ptx_signed(b, bits))
          : (wide)a * b;
  return (uint64_t)(insn->flags & PTX_HI ? all >> bits : all) & ptx_mask(bits);
}

static void with_carry(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_lane *l = &warp->lanes[lane];
  unsigned bits = ptx_type_bits(insn->type);
  uint64_t a = source(warp, insn, 0, lane), b = source(warp, insn, 1, lane);
  wide carry = insn->mode & TAKES_CARRY ? l->carry : 0, result;
  switch (insn->mode & 3) {
  case ADD: result = (wide)a + b + carry; break;
  case SUB: result = (wide)a - b - carry; break; // CC.CF is the borrow
  default:
    result = (wide)first_term(insn, a, b) + source(warp, insn, 2, lane) + carry;
    break;
  }
  if (insn->flags & PTX_CARRY_OUT)
    l->carry = (bool)(result >> bits & 1);
  ptx_write(warp, &insn->operands[0], lane, (uint64_t)result);
}

bool ptx_select_carry(ptx_insn *insn) {
  static const struct {
    const char *operation;
    uint8_t mode;
    size_t operands;
  } operations[] = {{"add", ADD, 3},
                    {"sub", SUB, 3},
                    {"mad", MAD, 4},
                    {"addc", ADD | TAKES_CARRY, 3},
                    {"subc", SUB | TAKES_CARRY, 3},
                    {"madc", MAD | TAKES_CARRY, 4}};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
    if (ptx_insn_is(insn, operations[i].operation) &&
        insn->operand_count == operations[i].operands &&
        !ptx_type_is_float(insn->type)) {
      insn->mode = operations[i].mode;
      insn->lane = with_carry;
      return true;
    }
  return false;
}
