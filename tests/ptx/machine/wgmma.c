//===- wgmma.c - Matrix products of a warp group -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async with both factors in shared memory: a thread computes the
// elements that the manual's figure of the fragment of D gives it. Sums are
// made in 64 bits and rounded once. All is done at once, when the four warps of
// the warp group are there, so that a missing wait is not seen here.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/fragment.h"

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

/// Element `k` of line `line` (a row of A, a column of B). A matrix is made of
/// groups of 8 spans.
static uint64_t address_of(const matrix *m, unsigned bytes, uint64_t line,
                           uint64_t k) {
  uint64_t along = bytes * (m->is_transposed ? line : k);
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
                      const matrix *m, ptx_type type, uint64_t line,
                      uint64_t k) {
  unsigned bits = ptx_type_bits(type), bytes = bits < 8 ? 1 : bits / 8;
  uint64_t place = address_of(m, bytes, line, bits < 8 ? k * bits / 8 : k);
  uint64_t value = ptx_load(
      ptx_memory_at(warp, insn, lane, PTX_SHARED, place, bytes, bytes), bytes);
  return ptx_element_value(type, bits < 8 ? value >> k % 8 & 1 : value);
}

/// All shapes have 32 bytes of K. Integers have no operands for signs, and what
/// is not of 16 bits is not transposed.
static void multiply(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_operand *o = insn->operands;
  unsigned depth = 256 / ptx_type_bits(insn->type2);
  unsigned bits = ptx_type_bits(insn->type);
  uint64_t values[8] = {0};
  for (size_t i = 1; i < insn->operand_count; ++i)
    values[i] = ptx_read(warp, insn, &o[i], lane);
  double sign = 1;
  for (int i = 4; i < 6; ++i)
    if ((int32_t)values[i] < 0)
      sign = -sign;
  if ((values[1] | values[2]) >> 49 & 7)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "base offsets of descriptors are not supported");
  matrix a = decode(values[1], values[6] & 1);
  matrix b = decode(values[2], values[7] & 1);
  for (unsigned i = 0; i < ptx_element_count(&o[0], bits); ++i) {
    uint64_t row = 16 * (warp->number % 4) + lane / 4 + (i & 2) * 4;
    uint64_t column = i / 4 * 8 + lane % 4 * 2 + (i & 1);
    double sum =
        values[3] & 1
            ? ptx_element_value(insn->type, ptx_read_element(warp, insn, &o[0],
                                                             bits, i, lane))
            : 0;
    for (unsigned k = 0; k < depth; ++k)
      sum += sign * element(warp, insn, lane, &a, insn->type2, row, k) *
             element(warp, insn, lane, &b, insn->type3, column, k);
    ptx_write_element(warp, insn, &o[0], bits, i, lane,
                      ptx_encode_sum(insn, sum));
  }
}

enum { GROUP_WARPS = 4, GROUP_BARRIER = PTX_BARRIERS + 1 };

/// Whether all of the warp waits here.
static bool is_here(const ptx_warp *warp, uint32_t pc) {
  PTX_EACH_LANE(lane, UINT32_MAX) {
    bool waits = warp->at_barrier >> lane & 1;
    if (!waits || warp->lanes[lane].barrier != GROUP_BARRIER ||
        warp->pc[lane] != pc)
      return false;
  }
  return true;
}

/// .sync.aligned: "all threads in the warpgroup must execute the same
/// wgmma.mma_async".
static void meet(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  unsigned first = warp->number / GROUP_WARPS * GROUP_WARPS;
  unsigned any = (unsigned)__builtin_ctz(lanes);
  uint32_t pc = warp->pc[any];
  if (first + GROUP_WARPS > warp->block->warp_count)
    ptx_fault(warp, insn, any, PTX_LAUNCH_FAILED,
              "a block of %u threads has no warp group here",
              warp->block->thread_count);
  PTX_EACH_LANE(lane, lanes)
  warp->lanes[lane].barrier = GROUP_BARRIER;
  warp->running &= ~lanes;
  warp->at_barrier |= lanes;
  ptx_warp *group = &warp->block->warps[first];
  for (unsigned i = 0; i < GROUP_WARPS; ++i)
    if (!is_here(&group[i], pc))
      return;
  for (unsigned i = 0; i < GROUP_WARPS; ++i)
    PTX_EACH_LANE(lane, UINT32_MAX) {
      multiply(&group[i], insn, lane);
      ++group[i].pc[lane];
    }
  for (unsigned i = 0; i < GROUP_WARPS; ++i) {
    group[i].at_barrier = 0;
    group[i].running = UINT32_MAX;
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
  size_t operands = 4; // integers
  switch (insn->type2) {
  case PTX_f16:
  case PTX_bf16: operands = 8; break;
  case PTX_tf32:
  case PTX_e4m3:
  case PTX_e5m2: operands = 6; break;
  case PTX_s8:
  case PTX_u8: break;
  case PTX_b1:
    if (!ptx_insn_has(insn, "and") || !ptx_insn_has(insn, "popc"))
      return false;
    break;
  default: return false;
  }
  bool has_sums = operands == 4 ? insn->type == PTX_s32
                  : insn->type2 == PTX_f16 || operands == 6
                      ? insn->type == PTX_f32 || insn->type == PTX_f16
                      : insn->type == PTX_f32;
  return has_sums && insn->operand_count == operands &&
         insn->operands[0].kind == PTX_VECTOR && ptx_use_waits(insn, meet);
}
