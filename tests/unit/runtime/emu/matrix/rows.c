//===- rows.c - Matrices that lanes load and store by rows ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix and stmatrix in the shapes of rows_reference.c, in its order, and of
// 8 by 8 half words both ways: what is stored comes back as it was loaded.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/rows.h"

#include "async_gpu/compiled/native_matrix.h"
#include "check.h"

enum { LANES = 32, WORDS = 4 };

int32_t rows_check(int32_t stores, void *allocated_words, uint32_t *words,
                   int64_t words_offset, int64_t words_size,
                   int64_t words_stride, void *allocated_results,
                   uint32_t *results, int64_t results_offset,
                   int64_t results_size, int64_t results_stride);

static uint32_t words[LANES][WORDS], lanes[LANES][WORDS];
static uint64_t seed = 1;

static void draw(void) {
  for (uint32_t i = 0; i < LANES * WORDS; ++i) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    words[i / WORDS][i % WORDS] = (uint32_t)(seed >> 32);
  }
}

/// Does it with what is in `from`, in `lanes`.
static void apply(agpu_native_collective what, agpu_native_row_shape shape,
                  uint32_t count, uint32_t transposed,
                  uint32_t (*from)[WORDS]) {
  char *places[LANES];
  memmove(lanes, from, sizeof lanes);
  for (uint32_t lane = 0; lane < LANES; ++lane)
    places[lane] = (char *)lanes[lane];
  agpu__emu_rows(agpu_native_rows(what, shape, count, transposed), places);
}

static void check(int32_t stores, uint32_t *results) {
  CHECK_EQ(rows_check(stores, NULL, words[0], 0, LANES * WORDS, 1, NULL,
                      results, 0, 0, 1),
           0);
}

static void test_loads(void) {
  static const struct {
    agpu_native_row_shape shape;
    uint32_t count, registers;
  } loads[] = {{AGPU_NATIVE_16X16_B8, 1, 2}, {AGPU_NATIVE_16X16_B8, 2, 4},
               {AGPU_NATIVE_16X16_B6, 1, 2}, {AGPU_NATIVE_16X16_B6, 2, 4},
               {AGPU_NATIVE_16X16_B4, 1, 2}, {AGPU_NATIVE_16X16_B4, 2, 4},
               {AGPU_NATIVE_8X16_B6, 1, 1},  {AGPU_NATIVE_8X16_B6, 2, 2},
               {AGPU_NATIVE_8X16_B6, 4, 4},  {AGPU_NATIVE_8X16_B4, 1, 1},
               {AGPU_NATIVE_8X16_B4, 2, 2},  {AGPU_NATIVE_8X16_B4, 4, 4}};
  uint32_t results[LANES][32], at = 0;
  draw();
  for (size_t i = 0; i < sizeof loads / sizeof *loads; ++i) {
    apply(AGPU_NATIVE_FROM_ROWS, loads[i].shape, loads[i].count, 1, words);
    for (uint32_t r = 0; r < loads[i].registers; ++r, ++at)
      for (uint32_t lane = 0; lane < LANES; ++lane)
        results[lane][at] = lanes[lane][r];
  }
  CHECK_EQ(at, 32);
  check(0, results[0]);
}

static void test_stores(void) {
  uint32_t results[LANES][12];
  draw();
  for (uint32_t i = 0; i < 3; ++i) {
    apply(AGPU_NATIVE_TO_ROWS, AGPU_NATIVE_16X8_B8, 1u << i, 1, words);
    for (uint32_t lane = 0; lane < LANES; ++lane)
      memcpy(&results[lane][4 * i], lanes[lane], sizeof *lanes);
  }
  check(1, results[0]);
}

/// Element (l / 4, 2 (l % 4) + h) of matrix r is half h of register r; of the
/// transposed one, with row and column changed.
static void test_halves(void) {
  for (uint32_t transposed = 0; transposed < 2; ++transposed) {
    draw();
    apply(AGPU_NATIVE_FROM_ROWS, AGPU_NATIVE_8X8_B16, 4, transposed, words);
    for (uint32_t lane = 0; lane < LANES; ++lane)
      for (uint32_t r = 0; r < WORDS; ++r)
        for (uint32_t h = 0; h < 2; ++h) {
          uint32_t row = lane / 4, column = lane % 4 * 2 + h;
          if (transposed) {
            uint32_t old = row;
            row = column;
            column = old;
          }
          uint32_t word = words[r * 8 + row][column / 2];
          CHECK_EQ(lanes[lane][r] >> 16 * h & 0xffff,
                   word >> column % 2 * 16 & 0xffff);
        }
    apply(AGPU_NATIVE_TO_ROWS, AGPU_NATIVE_8X8_B16, 4, transposed, lanes);
    CHECK(!memcmp(lanes, words, sizeof words));
  }
}

int main(void) {
  test_loads();
  test_stores();
  test_halves();
  return 0;
}
