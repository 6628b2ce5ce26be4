//===- bodies.c - What all peers call -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file of its own, so that all peers run the same code, whichever compiler
// makes the rest of them, and no compiler sees into it.
//
//===----------------------------------------------------------------------===//

#include "bench.h"

#include <math.h>
#include <string.h>

void bench_opaque(void) {}

void bench_saxpy(const float *restrict x, float *restrict y, int64_t begin,
                 int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    y[i] = 2.0f * x[i] + y[i];
}

float bench_dot(const float *restrict x, const float *restrict y, int64_t begin,
                int64_t end) {
  float sum = 0.0f;
  // In any order, as the other compilers are allowed to.
#pragma omp simd reduction(+ : sum)
  for (int64_t i = begin; i < end; ++i)
    sum += x[i] * y[i];
  return sum;
}

void bench_iterate(const float *restrict x, float *restrict y, int64_t begin,
                   int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    float v = x[i];
    for (int step = 0; step < 256; ++step)
      v = v * 0.999f + 0.001f;
    y[i] = v;
  }
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

#define SIZE (BENCH_TILES * BENCH_TILE)

typedef double tile[BENCH_TILE][BENCH_TILE];

static tile tiles[BENCH_TILES][BENCH_TILES];
static tile given[BENCH_TILES][BENCH_TILES]; ///< what they begin with
static int is_given;

/// The factor. Integers, and so are all that come up on the way to it.
static double factor_at(int64_t row, int64_t column) {
  if (row == column)
    return 4.0;
  return row > column ? (double)((row * 7 + column * 3) % 5 - 2) : 0.0;
}

static double *at(tile of[][BENCH_TILES], int64_t row, int64_t column) {
  return &of[row / BENCH_TILE][column / BENCH_TILE][row % BENCH_TILE]
            [column % BENCH_TILE];
}

void bench_begin_cholesky(void) {
  for (int64_t i = 0; i < SIZE && !is_given; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int64_t k = 0; k <= j; ++k)
        sum += factor_at(i, k) * factor_at(j, k);
      *at(given, i, j) = *at(given, j, i) = sum;
    }
  is_given = 1;
  memcpy(tiles, given, sizeof(tiles));
}

int64_t bench_end_cholesky(void) {
  for (int64_t i = 0; i < SIZE; ++i)
    for (int64_t j = 0; j <= i; ++j)
      if (*at(tiles, i, j) != factor_at(i, j))
        return 0;
  return 1;
}

void bench_potrf(int64_t k) {
  double (*a)[BENCH_TILE] = tiles[k][k];
  for (int j = 0; j < BENCH_TILE; ++j) {
    for (int p = 0; p < j; ++p)
      a[j][j] -= a[j][p] * a[j][p];
    a[j][j] = sqrt(a[j][j]);
    for (int i = j + 1; i < BENCH_TILE; ++i) {
      for (int p = 0; p < j; ++p)
        a[i][j] -= a[i][p] * a[j][p];
      a[i][j] /= a[j][j];
    }
  }
}

void bench_trsm(int64_t i, int64_t k) {
  double (*a)[BENCH_TILE] = tiles[i][k];
  double (*by)[BENCH_TILE] = tiles[k][k];
  for (int r = 0; r < BENCH_TILE; ++r)
    for (int c = 0; c < BENCH_TILE; ++c) {
      for (int p = 0; p < c; ++p)
        a[r][c] -= a[r][p] * by[c][p];
      a[r][c] /= by[c][c];
    }
}

void bench_update(int64_t i, int64_t j, int64_t k) {
  double (*a)[BENCH_TILE] = tiles[i][j];
  double (*left)[BENCH_TILE] = tiles[i][k];
  double (*right)[BENCH_TILE] = tiles[j][k];
  for (int r = 0; r < BENCH_TILE; ++r)
    for (int c = 0; c < BENCH_TILE; ++c) {
      double sum = 0.0;
      for (int p = 0; p < BENCH_TILE; ++p)
        sum += left[r][p] * right[c][p];
      a[r][c] -= sum;
    }
}
