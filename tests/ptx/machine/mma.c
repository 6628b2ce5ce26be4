//===- mma.c - Products of matrices: mma and mma.sp ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and
// "... with sparse matrix A": where each element of a lane's registers belongs,
// element by element. Sums are exact in doubles where the elements' sizes are
// not far apart, and rounded once, which cards need not do; of f64 each step is
// a fused multiplication and addition.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/fragment.h"
#include "machine/mma_scales.h"
#include "machine/numbers.h"

#include <math.h>
#include <stdio.h>

/// One line of the manual's formulas. Of A: elements i of a lane are in row
/// groupID, or groupID + 8 where i / run is odd and the shape has 16 rows;
/// their column is threadID_in_group * run + i % run, and `beyond` more for i
/// >= from. Of B, whose elements are in column groupID, the rows are so, with
/// `from_b`.
static const struct rule {
  const char *shape;
  unsigned m, k, bits; ///< of an element
  unsigned run, from, from_b, beyond;
} rules[] = {
    {"m8n8k4", 8, 4, 64, 1, 2, 2, 0},
    {"m8n8k16", 8, 16, 8, 4, 8, 8, 0},
    {"m8n8k32", 8, 32, 4, 8, 16, 16, 0},
    {"m8n8k128", 8, 128, 1, 32, 64, 64, 0},
    {"m16n8k4", 16, 4, 32, 1, 2, 1, 4},
    {"m16n8k8", 16, 8, 16, 2, 4, 2, 8},
    {"m16n8k8", 16, 8, 32, 1, 2, 1, 4},
    {"m16n8k16", 16, 16, 16, 2, 4, 2, 8},
    {"m16n8k16", 16, 16, 8, 4, 8, 4, 16},
    {"m16n8k32", 16, 32, 8, 4, 8, 4, 16},
    {"m16n8k32", 16, 32, 4, 8, 16, 8, 32},
    {"m16n8k64", 16, 64, 4, 8, 16, 8, 32},
    {"m16n8k128", 16, 128, 1, 32, 64, 32, 128},
    {"m16n8k256", 16, 256, 1, 32, 64, 32, 128},
};

/// Sparse shapes: A has half of the columns, in the registers of a dense shape;
/// B has twice the rows that shape has. `chunk`: columns of which half are
/// there; each has four bits of metadata, `chunks` of one row lie in one lane.
static const struct sparse_rule {
  const char *shape;
  unsigned k, bits, chunk, chunks;
  bool rows_share; ///< the lane has rows groupID and groupID + 8
} sparse_rules[] = {
    {"m16n8k8", 8, 32, 2, 4, true},   {"m16n8k16", 16, 32, 2, 4, true},
    {"m16n8k16", 16, 16, 4, 4, true}, {"m16n8k32", 32, 16, 4, 4, true},
    {"m16n8k32", 32, 8, 4, 8, false}, {"m16n8k64", 64, 8, 4, 8, false},
    {"m16n8k64", 64, 4, 8, 8, false}, {"m16n8k128", 128, 4, 8, 8, false},
};

typedef struct product {
  unsigned m, k;
  double a[16 * 256], b[256 * 8], c[16 * 8];
} product;

/// The type of C, which the mnemonic names last, but for the type of scales.
static ptx_type last_type(const ptx_insn *insn) {
  ptx_type type = PTX_NO_TYPE;
  if (ptx_insn_has(insn, "block_scale"))
    return PTX_f32;
  for (size_t i = 1; i < insn->part_count; ++i) {
    ptx_type found = ptx_type_find(insn->parts[i], strlen(insn->parts[i]));
    type = found ? found : type;
  }
  return type;
}

static const struct rule *find_rule(const char *shape, unsigned bits) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
    if (strcmp(rules[i].shape, shape) == 0 && rules[i].bits == bits)
      return &rules[i];
  return NULL;
}

static const struct sparse_rule *find_sparse_rule(const char *shape,
                                                  unsigned bits) {
  for (size_t i = 0; i < sizeof sparse_rules / sizeof *sparse_rules; ++i)
    if (strcmp(sparse_rules[i].shape, shape) == 0 &&
        sparse_rules[i].bits == bits)
      return &sparse_rules[i];
  return NULL;
}

static const char *shape_of(const ptx_insn *insn) {
  for (size_t i = 1; i < insn->part_count; ++i)
    if (insn->parts[i][0] == 'm' && insn->parts[i][1] >= '0' &&
        insn->parts[i][1] <= '9')
      return insn->parts[i];
  return "";
}

/// Column of a_i in its row, as the registers lie.
static unsigned column_of(const struct rule *rule, unsigned lane, unsigned i) {
  return lane % 4 * rule->run + i % rule->run +
         (i >= rule->from ? rule->beyond : 0);
}

static unsigned row_of(const struct rule *rule, unsigned lane, unsigned i) {
  return lane / 4 + (rule->m == 16 && i / rule->run % 2 ? 8 : 0);
}

/// Of A or B. The kinds mxf4 and mxf4nvf4 have e2m1 in four bits.
static unsigned factor_bits(const ptx_insn *insn) {
  return ptx_insn_has(insn, "kind::mxf4") ||
                 ptx_insn_has(insn, "kind::mxf4nvf4")
             ? 4
             : ptx_type_bits(insn->type2);
}

static double read_factor(ptx_warp *warp, const ptx_insn *insn, int operand,
                          unsigned bits, unsigned i, unsigned lane) {
  ptx_type type = operand == 1 ? insn->type2 : insn->type3;
  uint64_t value =
      ptx_read_element(warp, insn, &insn->operands[operand], bits, i, lane);
  return type == PTX_e2m1 && bits == 4 ? ptx_value(type, value)
                                       : ptx_element_value(type, value);
}

static void read_b(ptx_warp *warp, const ptx_insn *insn,
                   const struct rule *rule, product *p, unsigned lane) {
  const ptx_operand *o = &insn->operands[2];
  for (unsigned i = 0; i < ptx_element_count(o, rule->bits); ++i) {
    // Beyond the dense shape's, registers hold rows further on.
    unsigned row =
        lane % 4 * rule->run + i % rule->run + i / rule->from_b * 4 * rule->run;
    p->b[row * 8 + lane / 4] = read_factor(warp, insn, 2, rule->bits, i, lane);
  }
}

/// C and D: c_i is in row groupID, of 16 rows groupID + 8 from i = 2 on, and
/// column 2 threadID_in_group + i % 2.
static unsigned sum_place(unsigned lane, unsigned i) {
  return (lane / 4 + (i & 2) * 4) * 8 + lane % 4 * 2 + (i & 1);
}

static void read_sums(ptx_warp *warp, const ptx_insn *insn, product *p) {
  const ptx_operand *o = &insn->operands[3];
  ptx_type type = last_type(insn);
  unsigned bits = ptx_type_bits(type);
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (unsigned i = 0; i < p->m / 4; ++i)
      p->c[sum_place(lane, i)] = ptx_element_value(
          type, ptx_read_element(warp, insn, o, bits, i, lane));
}

static void write_sums(ptx_warp *warp, const ptx_insn *insn, const product *p) {
  unsigned bits = ptx_type_bits(insn->type);
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (unsigned i = 0; i < p->m / 4; ++i)
      ptx_write_element(warp, insn, &insn->operands[0], bits, i, lane,
                        ptx_encode_sum(insn, p->c[sum_place(lane, i)]));
}

static void multiply(const ptx_insn *insn, product *p) {
  bool differ = ptx_insn_has(insn, "xor");
  for (unsigned row = 0; row < p->m; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      double *sum = &p->c[row * 8 + column];
      for (unsigned x = 0; x < p->k; ++x) {
        double a = p->a[row * p->k + x], b = p->b[x * 8 + column];
        if (insn->type == PTX_f64)
          *sum = fma(a, b, *sum);
        else
          *sum += differ ? a != b : a * b;
      }
    }
}

static void mma(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  const struct rule *rule = find_rule(shape_of(insn), factor_bits(insn));
  product p = {.m = rule->m, .k = rule->k};
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
    const ptx_operand *o = &insn->operands[1];
    for (unsigned i = 0; i < ptx_element_count(o, rule->bits); ++i)
      p.a[row_of(rule, lane, i) * p.k + column_of(rule, lane, i)] =
          read_factor(warp, insn, 1, rule->bits, i, lane);
    read_b(warp, insn, rule, &p, lane);
  }
  read_sums(warp, insn, &p);
  ptx_scale_factors(warp, insn, p.k, p.a, p.b);
  multiply(insn, &p);
  write_sums(warp, insn, &p);
}

//===----------------------------------------------------------------------===//
// mma.sp
//===----------------------------------------------------------------------===//

/// The four bits for one chunk of a row.
static unsigned chunk_bits(ptx_warp *warp, const ptx_insn *insn,
                           const struct sparse_rule *sparse, unsigned row,
                           unsigned chunk, unsigned selector) {
  unsigned lanes_of_row = sparse->k / sparse->chunk / sparse->chunks;
  unsigned involved = sparse->rows_share ? lanes_of_row : 2 * lanes_of_row;
  unsigned lane = row % 8 * 4 + selector * involved % 4;
  unsigned shift = chunk % sparse->chunks * 4;
  if (sparse->rows_share) {
    lane += chunk / sparse->chunks;
    shift += row / 8 * 16;
  } else {
    lane += row / 8 + 2 * (chunk / sparse->chunks);
  }
  return (unsigned)(ptx_read(warp, insn, &insn->operands[4], lane) >> shift) &
         15;
}

/// The columns in a chunk that its elements have, as many as half of it.
static void places_in_chunk(ptx_warp *warp, const ptx_insn *insn, unsigned bits,
                            unsigned chunk, unsigned *places) {
  if (chunk == 2) {
    if (bits != 4 && bits != 14)
      ptx_fault(warp, insn, 0, PTX_LAUNCH_FAILED, "metadata 0x%x", bits);
    places[0] = bits == 14;
    return;
  }
  unsigned first = bits & 3, second = bits >> 2, each = chunk / 4;
  bool is_ordered = ptx_insn_has(insn, "sp::ordered_metadata");
  if (first == second || (is_ordered && first > second))
    ptx_fault(warp, insn, 0, PTX_LAUNCH_FAILED, "metadata 0x%x", bits);
  for (unsigned i = 0; i < each; ++i) {
    places[i] = first * each + i;
    places[each + i] = second * each + i;
  }
}

/// Each group of lanes that can have all metadata has a number.
static void check_selector(ptx_warp *warp, const ptx_insn *insn,
                           const struct sparse_rule *sparse,
                           unsigned selector) {
  unsigned lanes = sparse->k / sparse->chunk / sparse->chunks;
  unsigned groups = 4 / (sparse->rows_share ? lanes : 2 * lanes);
  if (selector >= groups)
    ptx_fault(warp, insn, 0, PTX_LAUNCH_FAILED, "sparsity selector %u",
              selector);
}

static void mma_sparse(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  ptx_need_whole_warp(warp, insn, lanes);
  unsigned bits = factor_bits(insn);
  const struct sparse_rule *sparse = find_sparse_rule(shape_of(insn), bits);
  char dense[24];
  snprintf(dense, sizeof dense, "m16n8k%u", sparse->k / 2);
  const struct rule *rule = find_rule(dense, bits);
  unsigned selector = (unsigned)ptx_read(warp, insn, &insn->operands[5], 0);
  check_selector(warp, insn, sparse, selector);
  product p = {.m = 16, .k = sparse->k};
  unsigned half = sparse->chunk / 2;
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
    const ptx_operand *o = &insn->operands[1];
    for (unsigned i = 0; i < ptx_element_count(o, bits); ++i) {
      unsigned row = row_of(rule, lane, i), column = column_of(rule, lane, i);
      unsigned places[4], chunk = column / half;
      places_in_chunk(warp, insn,
                      chunk_bits(warp, insn, sparse, row, chunk, selector),
                      sparse->chunk, places);
      p.a[row * p.k + chunk * sparse->chunk + places[column % half]] =
          read_factor(warp, insn, 1, bits, i, lane);
    }
    read_b(warp, insn, rule, &p, lane);
  }
  read_sums(warp, insn, &p);
  ptx_scale_factors(warp, insn, p.k, p.a, p.b);
  multiply(insn, &p);
  write_sums(warp, insn, &p);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static bool is_factor(ptx_type type) {
  switch (type) {
  case PTX_f16:
  case PTX_bf16:
  case PTX_tf32:
  case PTX_f64:
  case PTX_s8:
  case PTX_u8:
  case PTX_s4:
  case PTX_u4:
  case PTX_b1:
  case PTX_e4m3:
  case PTX_e5m2:
  case PTX_e3m2:
  case PTX_e2m3:
  case PTX_e2m1: return true;
  default: return false;
  }
}

bool ptx_select_mma(ptx_insn *insn) {
  if (!ptx_insn_is(insn, "mma"))
    return false;
  bool is_sparse =
      ptx_insn_has(insn, "sp") || ptx_insn_has(insn, "sp::ordered_metadata");
  bool is_sum = insn->type == PTX_f16 || insn->type == PTX_f32 ||
                insn->type == PTX_f64 || insn->type == PTX_s32;
  unsigned bits = factor_bits(insn), scales = 0;
  if (ptx_insn_has(insn, "block_scale")) {
    scales = 4;
    if (!ptx_has_scales(insn))
      return false;
  }
  if (!is_sum || !is_factor(insn->type2) || !is_factor(insn->type3) ||
      ptx_type_bits(insn->type3) != ptx_type_bits(insn->type2) ||
      !ptx_insn_has(insn, "row") || !ptx_insn_has(insn, "col"))
    return false;
  if (is_sparse)
    return insn->operand_count == 6 + scales &&
           find_sparse_rule(shape_of(insn), bits) &&
           ptx_use_together(insn, mma_sparse);
  return insn->operand_count == 4 + scales && find_rule(shape_of(insn), bits) &&
         ptx_use_together(insn, mma);
}
