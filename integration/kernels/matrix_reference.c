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

#include <math.h>
#include <stddef.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static const struct {
  unsigned bits, exponent, mantissa, shift;
  int is_signed; ///< of integers; -1: a float
  bool has_infinity;
} types[] = {
    [REFERENCE_F16] = {16, 5, 10, 0, -1, true},
    [REFERENCE_BF16] = {16, 8, 7, 0, -1, true},
    [REFERENCE_TF32] = {32, 8, 10, 13, -1, true},
    [REFERENCE_F32] = {32, 8, 23, 0, -1, true},
    [REFERENCE_S32] = {32, 0, 0, 0, 1, false},
    [REFERENCE_S8] = {8, 0, 0, 0, 1, false},
    [REFERENCE_U8] = {8, 0, 0, 0, 0, false},
    [REFERENCE_S4] = {4, 0, 0, 0, 1, false},
    [REFERENCE_U4] = {4, 0, 0, 0, 0, false},
    [REFERENCE_E4M3] = {8, 4, 3, 0, -1, false},
    [REFERENCE_E5M2] = {8, 5, 2, 0, -1, true},
    [REFERENCE_E3M2] = {8, 3, 2, 0, -1, false},
    [REFERENCE_E2M3] = {8, 2, 3, 0, -1, false},
    [REFERENCE_E2M1] = {8, 2, 1, 2, -1, false},
    [REFERENCE_NIBBLE] = {4, 2, 1, 0, -1, false},
};

unsigned reference_bits(reference_type type) { return types[type].bits; }

double reference_value(reference_type type, uint32_t bits) {
  unsigned width = types[type].bits;
  if (types[type].is_signed >= 0) {
    int64_t value = (int64_t)bits;
    if (types[type].is_signed && bits >> (width - 1) & 1)
      value -= INT64_C(1) << width;
    return (double)value;
  }
  unsigned places = types[type].mantissa, top = 1u << types[type].exponent;
  bits >>= types[type].shift;
  uint32_t fraction = bits & ((1u << places) - 1);
  uint32_t exponent = bits >> places & (top - 1);
  bool negative = bits >> places >> types[type].exponent & 1;
  int bias = (int)top / 2 - 1;
  double size = exponent ? ldexp(1.0 + ldexp(fraction, -(int)places),
                                 (int)exponent - bias)
                         : ldexp(fraction, 1 - bias - (int)places);
  if (types[type].has_infinity && exponent == top - 1)
    size = fraction ? NAN : INFINITY;
  if (type == REFERENCE_E4M3 && exponent == 15 && fraction == 7)
    size = NAN;
  return negative ? -size : size;
}

static uint32_t draw(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (uint32_t)(*random >> 33);
}

/// Bits of a number that every type has, and that is no larger than `most`.
static uint32_t encode(reference_type type, uint64_t *random, double most) {
  for (;;) {
    uint32_t bits = draw(random) << 1 ^ draw(random);
    uint32_t lowest = (1u << types[type].shift) - 1;
    // Bits that a byte has beside the number are nobody's but in the programs.
    if (types[type].bits < 32)
      bits &= (1u << types[type].bits) - 1;
    if (type == REFERENCE_E2M1 || type == REFERENCE_TF32)
      bits &= ~lowest;
    if (type == REFERENCE_E2M1 || type == REFERENCE_E3M2 ||
        type == REFERENCE_E2M3)
      bits &= 63;
    if (types[type].is_signed >= 0)
      return bits;
    if (types[type].exponent == 8) { // few of these are near 1
      float value = (float)((int)(bits % 13) - 6) / 2;
      memcpy(&bits, &value, sizeof bits);
      bits = type == REFERENCE_BF16 ? bits >> 16 : bits;
    }
    double value = reference_value(type, bits);
    if (fabs(value) <= most && value * 4 == floor(value * 4))
      return bits;
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Columns of A that are there.
static unsigned length_of(const reference_product *p) {
  return p->sparse ? p->k / 2 : p->k;
}

static unsigned registers_of_a(const reference_product *p) {
  return 16 * length_of(p) * types[p->a].bits / 32 / REFERENCE_LANES;
}

static unsigned registers_of_b(const reference_product *p) {
  return 8 * p->k * types[p->b].bits / 32 / REFERENCE_LANES;
}

unsigned reference_result_count(const reference_product *p) {
  return p->c == REFERENCE_F16 ? 2 : 4;
}

unsigned reference_first_metadata(const reference_product *p) {
  return registers_of_a(p) + registers_of_b(p) + reference_result_count(p);
}

unsigned reference_first_scale(const reference_product *p) {
  return reference_first_metadata(p) + (p->sparse ? 2 : 0);
}

typedef uint32_t (*words_of_lanes)[REFERENCE_WORDS];

static uint32_t cut(uint32_t word, unsigned bits, unsigned i) {
  word >>= i * bits;
  return bits == 32 ? word : word & ((1u << bits) - 1);
}

/// An element of what A's registers hold: row groupID or eight below, by pairs
/// of registers.
static double element_a(const reference_product *p, words_of_lanes words,
                        unsigned row, unsigned column) {
  unsigned bits = types[p->a].bits, each = 32 / bits;
  unsigned lane = row % 8 * 4 + column / each % 4;
  unsigned number = row / 8 + 2 * (column / (4 * each));
  return reference_value(p->a, cut(words[lane][number], bits, column % each));
}

static double element_b(const reference_product *p, words_of_lanes words,
                        unsigned row, unsigned column) {
  unsigned bits = types[p->b].bits, each = 32 / bits;
  unsigned lane = column * 4 + row / each % 4;
  unsigned number = registers_of_a(p) + row / (4 * each);
  return reference_value(p->b, cut(words[lane][number], bits, row % each));
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
  return p->is_ue4m3 ? reference_value(REFERENCE_E4M3, bits & 127)
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
      reference_value(p->c, cut(words[lane][number], types[p->c].bits, place));
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
  return sum;
}

unsigned reference_check(const reference_product *p,
                         uint32_t words[REFERENCE_LANES][REFERENCE_WORDS],
                         uint32_t results[REFERENCE_LANES][REFERENCE_RESULTS]) {
  unsigned wrong = 0;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      unsigned number, place;
      unsigned lane = find_sum(p, row, column, &number, &place);
      double is = reference_value(
          p->c, cut(results[lane][number], types[p->c].bits, place));
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

static const reference_product products[] = {
    // mma_scaled.mlir
    {.k = 32,
     .a = REFERENCE_E4M3,
     .b = REFERENCE_E2M1,
     .c = REFERENCE_F32,
     .scales = 1,
     .byte_a = 3,
     .thread_a = 1,
     .byte_b = 1,
     .thread_b = 2},
    {.k = 64,
     .a = REFERENCE_NIBBLE,
     .b = REFERENCE_NIBBLE,
     .c = REFERENCE_F32,
     .scales = 2,
     .byte_a = 2,
     .thread_a = 0,
     .byte_b = 0,
     .thread_b = 3},
    {.k = 64,
     .a = REFERENCE_NIBBLE,
     .b = REFERENCE_NIBBLE,
     .c = REFERENCE_F32,
     .scales = 4,
     .is_ue4m3 = true,
     .thread_a = 1,
     .thread_b = 1},
    {.k = 64,
     .a = REFERENCE_E5M2,
     .b = REFERENCE_E2M3,
     .c = REFERENCE_F32,
     .sparse = true,
     .scales = 1,
     .byte_a = 0,
     .thread_a = 0,
     .byte_b = 3},
    {.k = 128,
     .a = REFERENCE_NIBBLE,
     .b = REFERENCE_NIBBLE,
     .c = REFERENCE_F32,
     .sparse = true,
     .scales = 4,
     .is_ue4m3 = true,
     .thread_a = 1},
    // mma_f8.mlir
    {.k = 16, .a = REFERENCE_E4M3, .b = REFERENCE_E5M2, .c = REFERENCE_F16},
    {.k = 32, .a = REFERENCE_E4M3, .b = REFERENCE_E4M3, .c = REFERENCE_F32},
    {.k = 32, .a = REFERENCE_E5M2, .b = REFERENCE_E4M3, .c = REFERENCE_F16},
    {.k = 64,
     .a = REFERENCE_E5M2,
     .b = REFERENCE_E5M2,
     .c = REFERENCE_F32,
     .sparse = true},
    // mma_scaled.mlir, as assembly
    {.k = 64,
     .a = REFERENCE_NIBBLE,
     .b = REFERENCE_NIBBLE,
     .c = REFERENCE_F32,
     .scales = 4,
     .thread_a = 1},
};

#define MEMREF(name)                                                           \
  void *name##_allocated, uint32_t *name, int64_t name##_offset,               \
      int64_t name##_size, int64_t name##_stride
#define UNUSED(name)                                                           \
  ((void)name##_allocated, (void)name##_offset, (void)name##_size,             \
   (void)name##_stride)

#define EXPORT __attribute__((visibility("default")))

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

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// The loads of matrix_rows.mlir, in their order: bits of an element in memory,
/// rows of a matrix, matrices.
static const struct load {
  unsigned bits, rows, count;
} loads[] = {{8, 16, 1}, {8, 16, 2}, {6, 16, 1}, {6, 16, 2},
             {4, 16, 1}, {4, 16, 2}, {6, 8, 1},  {6, 8, 2},
             {6, 8, 4},  {4, 8, 1},  {4, 8, 2},  {4, 8, 4}};
enum { ROW_WORDS = 4, LOADED = 32, STORED = 12 };

typedef uint32_t (*rows_of_lanes)[ROW_WORDS];

/// Element `column` of a row of 128 bits.
static uint32_t element_of(rows_of_lanes rows, unsigned row, unsigned bits,
                           unsigned column) {
  unsigned at = column * bits;
  uint64_t pair = rows[row][at / 32];
  if (at / 32 + 1 < ROW_WORDS)
    pair |= (uint64_t)rows[row][at / 32 + 1] << 32;
  return (uint32_t)(pair >> at % 32) & ((1u << bits) - 1);
}

/// Loads: a lane has, of each matrix of 8 rows, four elements of one row; of 16
/// rows, four of a column, and as many of the column that is 8 further on.
static unsigned check_loads(rows_of_lanes rows, const uint32_t *results) {
  unsigned wrong = 0;
  for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane)
    for (size_t i = 0; i < sizeof loads / sizeof *loads; ++i)
      for (unsigned matrix = 0; matrix < loads[i].count; ++matrix)
        for (unsigned r = 0; r < loads[i].rows / 8; ++r) {
          uint32_t want = 0;
          for (unsigned e = 0; e < 4; ++e) {
            bool tall = loads[i].rows == 16;
            unsigned row = tall ? lane % 4 * 4 + e : lane / 4;
            unsigned column = tall ? lane / 4 + 8 * r : lane % 4 * 4 + e;
            want |= element_of(rows, matrix * loads[i].rows + row,
                               loads[i].bits, column)
                    << (8 * e);
          }
          wrong += want != *results++;
        }
  return wrong;
}

/// Stores of 1, 2 and 4 matrices of 16 rows and 8 columns: rows g and g + 8,
/// columns 2 q and 2 q + 1 of lane 4 g + q. A column lies in one row of memory.
static unsigned check_stores(uint32_t (*registers)[ROW_WORDS],
                             const uint32_t *results) {
  unsigned wrong = 0;
  for (unsigned line = 0; line < REFERENCE_LANES; ++line)
    for (unsigned count = 1; count <= 4; count *= 2)
      for (unsigned word = 0; word < ROW_WORDS; ++word) {
        uint32_t want = 0;
        for (unsigned e = 0; e < 4 && line < 8 * count; ++e) {
          unsigned row = word * 4 + e, column = line % 8;
          unsigned lane = row % 8 * 4 + column / 2;
          unsigned byte = row / 8 * 2 + column % 2;
          want |= (registers[lane][line / 8] >> (8 * byte) & 255) << (8 * e);
        }
        wrong += want != *results++;
      }
  return wrong;
}

EXPORT void rows_fill(MEMREF(words));
EXPORT int32_t rows_check(int32_t stores, MEMREF(words), MEMREF(results));

void rows_fill(MEMREF(words)) {
  uint64_t random = 5;
  for (int64_t i = 0; i < words_size; ++i)
    words[i] = draw(&random) << 1 ^ draw(&random);
  UNUSED(words);
}

int32_t rows_check(int32_t stores, MEMREF(words), MEMREF(results)) {
  unsigned wrong = 0;
  rows_of_lanes rows = (void *)words;
  int64_t warps = words_size / ROW_WORDS / REFERENCE_LANES;
  UNUSED(words);
  UNUSED(results);
  for (int64_t warp = 0; warp < warps; ++warp, rows += REFERENCE_LANES)
    wrong += stores
                 ? check_stores(rows, results + warp * REFERENCE_LANES * STORED)
                 : check_loads(rows, results + warp * REFERENCE_LANES * LOADED);
  return (int32_t)wrong;
}
