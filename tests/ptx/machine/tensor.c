//===- tensor.c - Matrices that a warp holds -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions": ldmatrix and
// stmatrix of 8x8 matrices, mma of m16n8, and wmma, whose layout in the
// registers is nobody's business: element e of a matrix lies in lane e / n, at
// place e % n, with n elements a lane. Sums are exact in doubles and rounded
// once, which cards need not do: programs compare small integers.
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/numbers.h"

static void need_whole_warp(ptx_warp *warp, const ptx_insn *insn,
                            uint32_t lanes) {
  if (lanes != UINT32_MAX)
    ptx_fault(warp, insn, (unsigned)__builtin_ctz(lanes), PTX_LAUNCH_FAILED,
              "executed by the lanes 0x%x only", lanes);
}

static const ptx_operand *part(const ptx_operand *o, size_t i) {
  return o->kind == PTX_VECTOR ? &o->elements[i] : o;
}

/// The e-th 16-bit value of a fragment whose registers hold two each.
static uint64_t read_half(ptx_warp *warp, const ptx_insn *insn,
                          const ptx_operand *o, size_t e, unsigned lane) {
  return ptx_read(warp, insn, part(o, e / 2), lane) >> (16 * (e & 1)) & 0xffff;
}

static void write_half(ptx_warp *warp, const ptx_insn *insn,
                       const ptx_operand *o, size_t e, unsigned lane,
                       uint64_t value) {
  unsigned shift = 16 * (e & 1);
  uint64_t other =
      ptx_read(warp, insn, part(o, e / 2), lane) & ~((uint64_t)0xffff << shift);
  ptx_write(warp, part(o, e / 2), lane, other | value << shift);
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// Lanes 8 m to 8 m + 7 have the addresses of the rows of matrix m. Lane l
/// holds the elements (l / 4, 2 (l % 4)) and the one beside it; transposed,
/// below it.
static void move_matrices(ptx_warp *warp, const ptx_insn *insn,
                          uint32_t lanes) {
  need_whole_warp(warp, insn, lanes);
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
                    ptx_read(warp, insn, part(values, m), lane) >> (16 * e));
        else
          loaded |= ptx_load(at, 2) << (16 * e);
      }
      if (!is_store)
        ptx_write(warp, part(values, m), lane, loaded);
    }
  }
}

//===----------------------------------------------------------------------===//
// mma: D = A * B + C with A of 16 x k, B of k x 8
//===----------------------------------------------------------------------===//

typedef struct product {
  int m, n, k;
  double a[32 * 16], b[16 * 32], c[32 * 32];
} product;

static void multiply(product *p) {
  for (int row = 0; row < p->m; ++row)
    for (int column = 0; column < p->n; ++column)
      for (int x = 0; x < p->k; ++x)
        p->c[row * p->n + column] +=
            p->a[row * p->k + x] * p->b[x * p->n + column];
}

static double tf32_value(uint64_t bits) {
  return (double)ptx_f32(bits & 0xffffe000);
}

static void read_mma_tf32(ptx_warp *warp, const ptx_insn *insn, product *p,
                          unsigned lane) {
  int group = (int)lane / 4, in_group = (int)lane % 4;
  for (int e = 0; e < p->k / 2; ++e)
    p->a[(group + (e & 1) * 8) * p->k + in_group + (e & 2) * 2] = tf32_value(
        ptx_read(warp, insn, part(&insn->operands[1], (size_t)e), lane));
  for (int e = 0; e < p->k / 4; ++e)
    p->b[(in_group + 4 * e) * 8 + group] = tf32_value(
        ptx_read(warp, insn, part(&insn->operands[2], (size_t)e), lane));
}

static void read_mma_halves(ptx_warp *warp, const ptx_insn *insn, product *p,
                            unsigned lane) {
  int group = (int)lane / 4, pair = (int)lane % 4 * 2;
  for (int e = 0; e < p->k / 2; ++e) {
    int row = group + (e & 2) * 4, column = pair + (e & 1) + (e & 4) * 2;
    p->a[row * p->k + column] =
        ptx_value(insn->type2,
                  read_half(warp, insn, &insn->operands[1], (size_t)e, lane));
  }
  for (int e = 0; e < p->k / 4; ++e) {
    int row = pair + (e & 1) + (e & 2) * 4;
    p->b[row * 8 + group] =
        ptx_value(insn->type3,
                  read_half(warp, insn, &insn->operands[2], (size_t)e, lane));
  }
}

/// Element e of C and D in a lane.
static int accumulator_at(unsigned lane, int e) {
  return ((int)lane / 4 + (e & 2) * 4) * 8 + (int)lane % 4 * 2 + (e & 1);
}

static void mma(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  need_whole_warp(warp, insn, lanes);
  product p = {.m = 16, .n = 8, .k = insn->mode};
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
    if (insn->type2 == PTX_tf32)
      read_mma_tf32(warp, insn, &p, lane);
    else
      read_mma_halves(warp, insn, &p, lane);
    const ptx_operand *c = &insn->operands[3];
    for (int e = 0; e < 4; ++e)
      p.c[accumulator_at(lane, e)] =
          insn->type == PTX_f32
              ? (double)ptx_f32(ptx_read(warp, insn, part(c, (size_t)e), lane))
              : ptx_value(PTX_f16, read_half(warp, insn, c, (size_t)e, lane));
  }
  multiply(&p);
  const ptx_operand *d = &insn->operands[0];
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (int e = 0; e < 4; ++e) {
      double sum = p.c[accumulator_at(lane, e)];
      uint64_t bits = ptx_encode(insn->type, sum, PTX_NEAREST);
      if (insn->type == PTX_f32)
        ptx_write(warp, part(d, (size_t)e), lane, bits);
      else
        write_half(warp, insn, d, (size_t)e, lane, bits);
    }
}

static bool select_mma(ptx_insn *insn) {
  bool is_known = insn->type2 == PTX_f16 || insn->type2 == PTX_bf16 ||
                  insn->type2 == PTX_tf32;
  insn->mode = ptx_insn_has(insn, "m16n8k16")  ? 16
               : ptx_insn_has(insn, "m16n8k8") ? 8
               : ptx_insn_has(insn, "m16n8k4") ? 4
                                               : 0;
  return is_known && insn->mode && insn->type2 == insn->type3 &&
         (insn->type == PTX_f32 || insn->type == PTX_f16) &&
         ptx_insn_has(insn, "row") && ptx_insn_has(insn, "col") &&
         insn->operand_count == 4 && ptx_use_together(insn, mma);
}

//===----------------------------------------------------------------------===//
// wmma
//===----------------------------------------------------------------------===//

enum { M16N16K16, M32N8K16, M8N32K16 };

static product wmma_shape(const ptx_insn *insn) {
  static const int sizes[][2] = {{16, 16}, {32, 8}, {8, 32}};
  return (product){
      .m = sizes[insn->mode][0], .n = sizes[insn->mode][1], .k = 16};
}

static uint64_t read_element(ptx_warp *warp, const ptx_insn *insn,
                             ptx_type type, const ptx_operand *o, size_t e,
                             unsigned lane) {
  return type == PTX_f32 ? ptx_read(warp, insn, part(o, e), lane)
                         : read_half(warp, insn, o, e, lane);
}

static void write_element(ptx_warp *warp, const ptx_insn *insn, ptx_type type,
                          const ptx_operand *o, size_t e, unsigned lane,
                          uint64_t bits) {
  if (type == PTX_f32)
    ptx_write(warp, part(o, e), lane, bits);
  else
    write_half(warp, insn, o, e, lane, bits);
}

/// wmma.load.{a,b,c} d, [address], stride and wmma.store.d [address], d, stride
static void wmma_move(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  need_whole_warp(warp, insn, lanes);
  bool is_store = ptx_insn_has(insn, "store");
  char matrix = insn->parts[2][0];
  product p = wmma_shape(insn);
  size_t rows = (size_t)(matrix == 'b' ? p.k : p.m);
  size_t columns = (size_t)(matrix == 'a' ? p.k : p.n);
  bool by_rows = ptx_insn_has(insn, "row");
  unsigned bytes = ptx_type_bits(insn->type) / 8;
  const ptx_operand *values = &insn->operands[is_store];
  const ptx_operand *address = &insn->operands[!is_store];
  size_t count = rows * columns / PTX_WARP_SIZE;
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane) {
    uint64_t base = ptx_address_of(warp, insn, address, lane);
    uint64_t stride = insn->operand_count > 2
                          ? ptx_read(warp, insn, &insn->operands[2], lane)
                      : by_rows ? columns
                                : rows;
    if (base % 32 || stride * bytes % 16)
      ptx_fault(warp, insn, lane, PTX_MISALIGNED,
                "a matrix at 0x%llx with a stride of %llu elements",
                (unsigned long long)base, (unsigned long long)stride);
    for (size_t e = 0; e < count; ++e) {
      size_t row = (lane * count + e) / columns;
      size_t column = (lane * count + e) % columns;
      size_t at = by_rows ? row * stride + column : column * stride + row;
      void *memory = ptx_memory_at(warp, insn, lane, insn->space,
                                   base + at * bytes, bytes, bytes);
      if (is_store)
        ptx_store(memory, bytes,
                  read_element(warp, insn, insn->type, values, e, lane));
      else
        write_element(warp, insn, insn->type, values, e, lane,
                      ptx_load(memory, bytes));
    }
  }
}

static void read_matrix(ptx_warp *warp, const ptx_insn *insn, ptx_type type,
                        const ptx_operand *o, double *out, int elements) {
  size_t count = (size_t)elements / PTX_WARP_SIZE;
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (size_t e = 0; e < count; ++e)
      out[lane * count + e] =
          ptx_value(type, read_element(warp, insn, type, o, e, lane));
}

static void wmma(ptx_warp *warp, const ptx_insn *insn, uint32_t lanes) {
  need_whole_warp(warp, insn, lanes);
  product p = wmma_shape(insn);
  const ptx_operand *o = insn->operands;
  ptx_type added = insn->type2 ? insn->type2 : insn->type;
  read_matrix(warp, insn, PTX_f16, &o[1], p.a, p.m * p.k);
  read_matrix(warp, insn, PTX_f16, &o[2], p.b, p.k * p.n);
  read_matrix(warp, insn, added, &o[3], p.c, p.m * p.n);
  multiply(&p);
  size_t count = (size_t)(p.m * p.n) / PTX_WARP_SIZE;
  for (unsigned lane = 0; lane < PTX_WARP_SIZE; ++lane)
    for (size_t e = 0; e < count; ++e)
      write_element(warp, insn, insn->type, &o[0], e, lane,
                    ptx_encode(insn->type, p.c[lane * count + e], PTX_NEAREST));
}

static bool select_wmma(ptx_insn *insn) {
  insn->mode = ptx_insn_has(insn, "m32n8k16")   ? M32N8K16
               : ptx_insn_has(insn, "m8n32k16") ? M8N32K16
                                                : M16N16K16;
  bool is_known =
      (insn->mode != M16N16K16 || ptx_insn_has(insn, "m16n16k16")) &&
      (insn->type == PTX_f16 || insn->type == PTX_f32);
  bool moves = ptx_insn_has(insn, "load") || ptx_insn_has(insn, "store");
  if (!is_known || (!moves && (insn->type3 || insn->operand_count != 4)))
    return false;
  return ptx_use_together(insn, moves ? wmma_move : wmma);
}

bool ptx_select_tensor(ptx_insn *insn) {
  if (ptx_insn_is(insn, "ldmatrix") || ptx_insn_is(insn, "stmatrix"))
    return insn->vector && insn->operand_count == 2 &&
           ptx_insn_has(insn, "m8n8") && insn->type == PTX_b16 &&
           ptx_use_together(insn, move_matrices);
  if (ptx_insn_is(insn, "mma"))
    return select_mma(insn);
  return ptx_insn_is(insn, "wmma") && insn->part_count > 3 && select_wmma(insn);
}
