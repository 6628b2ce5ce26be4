//===- wmma.c - Products of matrices whose places are nobody's business --===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix multiply-accumulate operation using wmma instructions",
// whose layout in the registers is unspecified: element e of a matrix, by rows,
// lies in lane e / n, at place e % n, with n elements a lane.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/fragment.h"
#include "machine/numbers.h"

#include <math.h>
#include <stdio.h>

typedef struct product {
  unsigned m, n, k;
  double a[32 * 16], b[16 * 32], c[32 * 32];
} product;

/// The sizes of a shape that the instruction has; 0 where it has none.
static product shape_of(const ptx_insn *insn) {
  product p = {0};
  for (size_t i = 1; i < insn->part_count; ++i)
    if (sscanf(insn->parts[i], "m%un%uk%u", &p.m, &p.n, &p.k) == 3)
      break;
  return p;
}

/// wmma.load.{a,b,c} d, [address], stride and wmma.store.d [address], d, stride
static void wmma_move(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  bool is_store = ptx_insn_has(insn, "store");
  char matrix = insn->parts[2][0];
  product p = shape_of(insn);
  size_t rows = matrix == 'b' ? p.k : p.m, columns = matrix == 'a' ? p.k : p.n;
  bool by_rows = ptx_insn_has(insn, "row");
  unsigned bits = ptx_type_bits(insn->type), bytes = bits / 8;
  const ptx_operand *values = &insn->operands[is_store];
  const ptx_operand *address = &insn->operands[!is_store];
  size_t count = rows * columns / PTX_WARP_SIZE;
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
    uint64_t base = ptx_address_of(warp, insn, address, lane);
    uint64_t stride = insn->operand_count > 2
                          ? ptx_read(warp, insn, &insn->operands[2], lane)
                      : by_rows ? columns
                                : rows;
    unsigned unit = warp->block->run->launch->options->is_lenient ? 16 : 32;
    if (base % unit || stride * bytes % 16)
      ptx_fault(warp, insn, lane, PTX_MISALIGNED,
                "a matrix at 0x%llx with a stride of %llu elements",
                (unsigned long long)base, (unsigned long long)stride);
    for (unsigned e = 0; e < count; ++e) {
      size_t row = (lane * count + e) / columns;
      size_t column = (lane * count + e) % columns;
      size_t at = by_rows ? row * stride + column : column * stride + row;
      void *memory = ptx_memory_at(warp, insn, lane, insn->space,
                                   base + at * bytes, bytes, bytes);
      if (is_store)
        ptx_store(memory, bytes,
                  ptx_read_element(warp, insn, values, bits, e, lane));
      else
        ptx_write_element(warp, insn, values, bits, e, lane,
                          ptx_load(memory, bytes));
    }
  }
}

static void read_matrix(ptx_warp *warp, const ptx_insn *insn, ptx_type type,
                        const ptx_operand *o, double *out, unsigned elements) {
  unsigned count = elements / PTX_WARP_SIZE, bits = ptx_type_bits(type);
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (unsigned e = 0; e < count; ++e)
      out[lane * count + e] = ptx_element_value(
          type, ptx_read_element(warp, insn, o, bits, e, lane));
}

static void multiply(const ptx_insn *insn, product *p) {
  for (unsigned row = 0; row < p->m; ++row)
    for (unsigned column = 0; column < p->n; ++column) {
      double *sum = &p->c[row * p->n + column];
      for (unsigned x = 0; x < p->k; ++x) {
        double a = p->a[row * p->k + x], b = p->b[x * p->n + column];
        *sum = insn->type == PTX_f64 ? fma(a, b, *sum) : *sum + a * b;
      }
    }
}

static void wmma(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  product p = shape_of(insn);
  const ptx_operand *o = insn->operands;
  // Of .f16 the types of D and C alone are named; else D's, A's, B's and C's.
  bool halves = !insn->type3;
  ptx_type factor = halves ? PTX_f16 : insn->type2;
  ptx_type added = halves && insn->type2 ? insn->type2 : insn->type;
  read_matrix(warp, insn, factor, &o[1], p.a, p.m * p.k);
  read_matrix(warp, insn, factor, &o[2], p.b, p.k * p.n);
  read_matrix(warp, insn, added, &o[3], p.c, p.m * p.n);
  multiply(insn, &p);
  unsigned count = p.m * p.n / PTX_WARP_SIZE, bits = ptx_type_bits(insn->type);
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (unsigned e = 0; e < count; ++e)
      ptx_write_element(warp, insn, &o[0], bits, e, lane,
                        ptx_encode_sum(insn, p.c[lane * count + e]));
}

static bool is_element(ptx_type type) {
  switch (type) {
  case PTX_f16:
  case PTX_f32:
  case PTX_f64:
  case PTX_tf32:
  case PTX_bf16:
  case PTX_s8:
  case PTX_u8:
  case PTX_s32: return true;
  default: return false;
  }
}

bool ptx_select_wmma(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "wmma") || insn->part_count < 4 || !shape_of(insn).k ||
      !is_element(insn->type))
    return false;
  if (ptx_insn_has(insn, "load") || ptx_insn_has(insn, "store"))
    return ptx_use_together(insn, wmma_move);
  return insn->operand_count == 4 &&
         (!insn->type2 || is_element(insn->type2)) &&
         ptx_use_together(insn, wmma);
}
