//===- rows_reference.c - Matrices that lie in memory by rows -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, the figures of ldmatrix and stmatrix: what matrix_rows.mlir calls.
//
//===----------------------------------------------------------------------===//

#include "reference_numbers.h"

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
