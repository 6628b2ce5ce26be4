//===- fragment.c - Elements in the registers of lanes -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices that a warp holds lie in registers of 32 bits, or of 64 where their
// elements are .f64; a register has the elements of least index in its lowest
// bits. Which elements of a matrix those are, each family of instructions says.
//
//===----------------------------------------------------------------------===//

#include "machine/fragment.h"

#include "machine/numbers.h"

void ptx_need_whole_warp(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  if (lanes != UINT32_MAX)
    ptx_fault(warp, insn, (unsigned)__builtin_ctz(lanes), PTX_LAUNCH_FAILED,
              "executed by the lanes 0x%x only", lanes);
}

unsigned ptx_element_count(const ptx_operand *o, unsigned bits) {
  size_t registers = o->kind == PTX_VECTOR ? o->count : 1;
  return (unsigned)registers * (bits == 64 ? 1 : 32 / bits);
}

uint64_t ptx_read_element(ptx_warp *warp, const ptx_insn *insn,
                          const ptx_operand *o, unsigned bits, unsigned i,
                          unsigned lane) {
  unsigned each = bits == 64 ? 1 : 32 / bits;
  return ptx_read(warp, insn, ptx_part(o, i / each), lane) >>
             (i % each * bits) &
         ptx_mask(bits);
}

void ptx_write_element(ptx_warp *warp, const ptx_insn *insn,
                       const ptx_operand *o, unsigned bits, unsigned i,
                       unsigned lane, uint64_t value) {
  unsigned each = bits == 64 ? 1 : 32 / bits, shift = i % each * bits;
  const ptx_operand *to = ptx_part(o, i / each);
  uint64_t others =
      each > 1 ? ptx_read(warp, insn, to, lane) & ~(ptx_mask(bits) << shift)
               : 0;
  ptx_write(warp, to, lane, others | value << shift);
}

double ptx_element_value(ptx_type type, uint64_t bits) {
  switch (type) {
  case PTX_b1:
  case PTX_u4:
  case PTX_u8: return (double)bits;
  case PTX_s4:
  case PTX_s8:
  case PTX_s32: return (double)ptx_signed(bits, ptx_type_bits(type));
  case PTX_tf32: return (double)ptx_f32(bits & 0xffffe000);
  case PTX_e2m1: return ptx_value(type, bits >> 2 & 15);
  case PTX_e3m2:
  case PTX_e2m3: return ptx_value(type, bits & 63);
  default: return ptx_value(type, bits);
  }
}

uint64_t ptx_encode_sum(const ptx_insn *insn, double sum) {
  if (insn->type != PTX_s32)
    return ptx_encode(insn->type, sum, PTX_NEAREST);
  if (insn->flags & PTX_SAT)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint64_t)(int64_t)sum & ptx_mask(32);
}
