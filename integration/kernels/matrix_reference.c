//===- matrix_reference.c - What products of matrices give ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for mma.m16n8k*", "Sparse matrix storage" and
// "Block Scaling for mma.sync": of every element of a matrix, which lane has it
// in which bits. Programs beside this file link it; so do unit tests.
//
//===----------------------------------------------------------------------===//

#include "matrix_reference.h"

#include "reference_numbers.h"

double reference_value(reference_type type, uint32_t bits) {
  return value_of(type, bits);
}

unsigned reference_bits(reference_type type) { return types[type].bits; }

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Columns of A that are there.
static unsigned length_of(const reference_product *p) {
  return p->sparse ? p->k / 2 : p->k;
}

static unsigned rows_of(const reference_product *p) { return p->m ? p->m : 16; }

static unsigned registers_of_a(const reference_product *p) {
  return rows_of(p) * length_of(p) * types[p->a].bits / 32 / REFERENCE_LANES;
}

static unsigned registers_of_b(const reference_product *p) {
  return 8 * p->k * types[p->b].bits / 32 / REFERENCE_LANES;
}

unsigned reference_result_count(const reference_product *p) {
  return rows_of(p) / (p->c == REFERENCE_F16 ? 8 : 4);
}

unsigned reference_first_metadata(const reference_product *p) {
  return registers_of_a(p) + registers_of_b(p) + reference_result_count(p);
}

unsigned reference_first_scale(const reference_product *p) {
  return reference_first_metadata(p) + (p->sparse ? 2 : 0);
}

typedef uint32_t (*words_of_lanes)[REFERENCE_WORDS];

/// An element of what A's registers hold: row groupID or eight below, by pairs
/// of registers.
static double element_a(const reference_product *p, words_of_lanes words,
                        unsigned row, unsigned column) {
  unsigned bits = types[p->a].bits, each = 32 / bits;
  unsigned lane = row % 8 * 4 + column / each % 4;
  unsigned number = row / 8 + rows_of(p) / 8 * (column / (4 * each));
  return value_of(p->a, cut(words[lane][number], bits, column % each));
}

static double element_b(const reference_product *p, words_of_lanes words,
                        unsigned row, unsigned column) {
  unsigned bits = types[p->b].bits, each = 32 / bits;
  unsigned lane = column * 4 + row / each % 4;
  unsigned number = registers_of_a(p) + row / (4 * each);
  return value_of(p->b, cut(words[lane][number], bits, row % each));
}

/// Lane, register and place in it of an element of C or D.
static unsigned find_sum(const reference_product *p, unsigned row,
                         unsigned column, unsigned *out_number,
                         unsigned *out_place) {
  unsigned i = row / 8 * 2 + column % 2;
  unsigned each = p->c == REFERENCE_F16 ? 2 : 1;
  *out_number = i / each;
  *out_place = i % each;
  return row % 8 * 4 + column / 2;
}

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// Columns of a chunk, of which half are there.
static unsigned chunk_of(const reference_product *p) {
  return p->a == REFERENCE_TF32 ? 2 : types[p->a].bits == 4 ? 8 : 4;
}

/// How the four bits of a chunk are found: 16-bit and wider elements have 16
/// bits for each of two rows in one lane; others a row of 32 bits, the lanes of
/// a pair for one row each.
static unsigned find_metadata(const reference_product *p, unsigned row,
                              unsigned chunk, unsigned *out_shift) {
  bool wide = types[p->a].bits >= 16;
  unsigned chunks = p->k / chunk_of(p), quad = row % 8 * 4;
  if (wide) {
    unsigned lanes = chunks / 4;
    *out_shift = row / 8 * 16 + chunk % 4 * 4;
    return quad + p->selector * lanes + chunk / 4;
  }
  unsigned lanes = chunks / 8 * 2;
  *out_shift = chunk % 8 * 4;
  return quad + p->selector * lanes + chunk / 8 * 2 + row / 8;
}

/// The column of A that the stored column is.
static unsigned place_of(const reference_product *p, words_of_lanes words,
                         unsigned row, unsigned stored) {
  unsigned chunk = chunk_of(p), half = chunk / 2, shift;
  unsigned lane = find_metadata(p, row, stored / half, &shift);
  unsigned bits = words[lane][reference_first_metadata(p)] >> shift & 15;
  unsigned first = stored / half * chunk, i = stored % half;
  if (chunk == 2)
    return first + (bits == 14);
  unsigned each = chunk / 4; // elements that one index is for
  unsigned index = i < each ? bits & 3 : bits >> 2;
  return first + index * each + i % each;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

static double scale_of(const reference_product *p, uint32_t word,
                       unsigned byte) {
  uint32_t bits = word >> (8 * byte) & 255;
  return p->is_ue4m3 ? value_of(REFERENCE_E4M3, bits & 127)
                     : ldexp(1, (int)bits - 127);
}

static double scale_a(const reference_product *p, words_of_lanes words,
                      unsigned row, unsigned block) {
  unsigned lane = row % 8 * 4 + p->thread_a * 2 + row / 8;
  return scale_of(p, words[lane][reference_first_scale(p)], p->byte_a + block);
}

static double scale_b(const reference_product *p, words_of_lanes words,
                      unsigned column, unsigned block) {
  return scale_of(p,
                  words[column * 4 + p->thread_b][reference_first_scale(p) + 3],
                  p->byte_b + block);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void reference_fill(const reference_product *p, uint64_t *random,
                    uint32_t words[REFERENCE_LANES][REFERENCE_WORDS]) {
  static const uint8_t orders[] = {4, 8, 9, 12, 13, 14};
  memset(words, 0, sizeof *words * REFERENCE_LANES);
  for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane) {
    uint32_t *own = words[lane];
    for (unsigned r = 0; r < reference_first_metadata(p); ++r) {
      unsigned a = registers_of_a(p), b = a + registers_of_b(p);
      reference_type type = r < a ? p->a : r < b ? p->b : p->c;
      for (unsigned i = 0; i < 32; i += types[type].bits)
        own[r] |= encode(type, random, r < b ? 3 : 64) << i;
      if (r >= b && p->saturates) // near both ends
        own[r] = r % 2 ? INT32_MAX - own[r] % 512 : 0x80000000u + own[r] % 512;
    }
    own += reference_first_metadata(p);
    if (p->sparse) {
      for (unsigned i = 0; i < 32; i += 4)
        own[0] |=
            (uint32_t)(p->a == REFERENCE_TF32 ? (draw(random) & 1 ? 14 : 4)
                                              : orders[draw(random) % 6])
            << i;
      own[1] = p->selector;
      own += 2;
    }
    if (!p->scales)
      continue;
    static const uint8_t ue4m3[] = {0x30, 0x38, 0x3c, 0x40};
    for (unsigned i = 0; i < 32; i += 8) {
      uint32_t x = draw(random), y = draw(random);
      own[0] |= (p->is_ue4m3 ? ue4m3[x % 4] : 126 + x % 3) << i;
      own[3] |= (p->is_ue4m3 ? ue4m3[y % 4] : 126 + y % 3) << i;
    }
    own[1] = p->byte_a;
    own[2] = p->thread_a;
    own[4] = p->byte_b;
    own[5] = p->thread_b;
  }
}

static double expect(const reference_product *p, words_of_lanes words,
                     unsigned row, unsigned column) {
  unsigned number, place;
  unsigned lane = find_sum(p, row, column, &number, &place);
  number += registers_of_a(p) + registers_of_b(p);
  double sum =
      value_of(p->c, cut(words[lane][number], types[p->c].bits, place));
  for (unsigned i = 0; i < length_of(p); ++i) {
    unsigned x = p->sparse ? place_of(p, words, row, i) : i;
    double factor =
        element_a(p, words, row, i) * element_b(p, words, x, column);
    unsigned block = p->scales ? x / (p->k / p->scales) : 0;
    if (p->scales)
      factor *=
          scale_a(p, words, row, block) * scale_b(p, words, column, block);
    sum += factor;
  }
  if (p->saturates)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return sum;
}

unsigned reference_check(const reference_product *p,
                         uint32_t words[REFERENCE_LANES][REFERENCE_WORDS],
                         uint32_t results[REFERENCE_LANES][REFERENCE_RESULTS]) {
  unsigned wrong = 0;
  for (unsigned row = 0; row < rows_of(p); ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned number, place;
      unsigned lane = find_sum(p, row, column, &number, &place);
      double is =
          value_of(p->c, cut(results[lane][number], types[p->c].bits, place));
      double want = expect(p, words, row, column);
      if (p->c == REFERENCE_S32) // wraps around
        wrong += (uint32_t)(int64_t)want != (uint32_t)(int64_t)is;
      else
        wrong += !(is == want);
    }
  return wrong;
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

#define DENSE(rows, depth, left, right, sums, ends)                            \
  {.m = (rows),                                                                \
   .k = (depth),                                                               \
   .a = REFERENCE_##left,                                                      \
   .b = REFERENCE_##right,                                                     \
   .c = REFERENCE_##sums,                                                      \
   .saturates = (ends)}
#define SPARSE(depth, left, right, sums, lanes, ends)                          \
  {.k = (depth),                                                               \
   .a = REFERENCE_##left,                                                      \
   .b = REFERENCE_##right,                                                     \
   .c = REFERENCE_##sums,                                                      \
   .sparse = true,                                                             \
   .saturates = (ends),                                                        \
   .selector = (lanes)}
#define SCALED(depth, left, right, half, count, unsigned_floats, ...)          \
  {.k = (depth),                                                               \
   .a = REFERENCE_##left,                                                      \
   .b = REFERENCE_##right,                                                     \
   .c = REFERENCE_F32,                                                         \
   .sparse = (half),                                                           \
   .scales = (count),                                                          \
   .is_ue4m3 = (unsigned_floats),                                              \
   __VA_ARGS__}

static const reference_product products[] = {
    // mma_scaled.mlir
    SCALED(32, E4M3, E2M1, false, 1, false, .byte_a = 3, .thread_a = 1,
           .byte_b = 1, .thread_b = 2),
    SCALED(64, NIBBLE, NIBBLE, false, 2, false, .byte_a = 2, .thread_b = 3),
    SCALED(64, NIBBLE, NIBBLE, false, 4, true, .thread_a = 1, .thread_b = 1),
    SCALED(64, E5M2, E2M3, true, 1, false, .byte_b = 3),
    SCALED(128, NIBBLE, NIBBLE, true, 4, true, .thread_a = 1),
    // mma_f8.mlir
    DENSE(16, 16, E4M3, E5M2, F16, false),
    DENSE(16, 32, E4M3, E4M3, F32, false),
    DENSE(16, 32, E5M2, E4M3, F16, false),
    SPARSE(64, E5M2, E5M2, F32, 0, false),
    // mma_scaled.mlir, as assembly
    SCALED(64, NIBBLE, NIBBLE, false, 4, true, .thread_a = 1),
    // mma_sparse.mlir
    SPARSE(16, F16, F16, F32, 0, false),
    SPARSE(16, F16, F16, F16, 3, false),
    SPARSE(32, F16, F16, F32, 1, false),
    SPARSE(32, BF16, BF16, F32, 0, false),
    SPARSE(8, TF32, TF32, F32, 2, false),
    SPARSE(16, TF32, TF32, F32, 1, false),
    SPARSE(32, S8, U8, S32, 1, false),
    SPARSE(64, S8, S8, S32, 0, true),
    SPARSE(64, U4, S4, S32, 1, false),
    SPARSE(128, S4, S4, S32, 0, false),
    // mma_integers.mlir
    DENSE(8, 16, S8, S8, S32, false),
    DENSE(8, 16, U8, S8, S32, true),
    DENSE(16, 16, S8, U8, S32, true),
    DENSE(16, 32, S8, S8, S32, false),
    DENSE(16, 32, U8, U8, S32, true),
    DENSE(8, 32, S4, S4, S32, false),
    DENSE(8, 32, U4, S4, S32, true),
    DENSE(16, 32, S4, U4, S32, false),
    DENSE(16, 64, S4, S4, S32, true),
    DENSE(16, 64, U4, U4, S32, false),
};

EXPORT void matrix_fill(int32_t which, int32_t warps, MEMREF(words));
EXPORT int32_t matrix_check(int32_t which, int32_t warps, MEMREF(words),
                            MEMREF(results));

void matrix_fill(int32_t which, int32_t warps, MEMREF(words)) {
  uint64_t random = 17u + (uint64_t)which;
  uint32_t (*all)[REFERENCE_LANES][REFERENCE_WORDS] = (void *)words;
  UNUSED(words);
  for (int32_t warp = 0; warp < warps; ++warp)
    reference_fill(&products[which], &random, all[warp]);
}

int32_t matrix_check(int32_t which, int32_t warps, MEMREF(words),
                     MEMREF(results)) {
  uint32_t (*all)[REFERENCE_LANES][REFERENCE_WORDS] = (void *)words;
  uint32_t (*got)[REFERENCE_LANES][REFERENCE_RESULTS] = (void *)results;
  unsigned wrong = 0;
  UNUSED(words);
  UNUSED(results);
  for (int32_t warp = 0; warp < warps; ++warp)
    wrong += reference_check(&products[which], all[warp], got[warp]);
  return (int32_t)wrong;
}
