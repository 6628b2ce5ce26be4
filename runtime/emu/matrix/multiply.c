//===- multiply.c - Dense products ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four rows of eight columns of C at a time stay in vector registers; A's
// elements are spread over them. The runtime is compiled for any processor of
// its kind, so that x86's wider registers take functions of their own, chosen
// when they run. A fused multiplication and addition, which all 64-bit ARM has,
// differs where a product of bf16 is too large or too small for f32; all other
// products are exact.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/multiply.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2,fma")))
#define HAS_WIDE()                                                             \
  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif

enum { COLUMNS = 8, ROWS = 4 };

/// Unsigned, so that sums of integers wrap around.
typedef float floats __attribute__((vector_size(4 * COLUMNS)));
typedef uint32_t words __attribute__((vector_size(4 * COLUMNS)));

#if defined(__aarch64__)
#include <arm_neon.h>

/// `sum` + `factor` * `by`, rounded once.
static inline floats fuse(floats sum, float factor, floats by) {
  float32x4_t sums[COLUMNS / 4], with[COLUMNS / 4];
  memcpy(sums, &sum, sizeof sum);
  memcpy(with, &by, sizeof by);
  for (int i = 0; i < COLUMNS / 4; ++i)
    sums[i] = vfmaq_n_f32(sums[i], with[i], factor);
  memcpy(&sum, sums, sizeof sum);
  return sum;
}
#define FUSE fuse
#else
#define FUSE(sum, factor, by) ((sum) + (factor) * (by))
#endif
#define ADD_PRODUCT(sum, factor, by) ((sum) + (factor) * (by))

#define DEFINE_BLOCKS(name, type, add, element, vector)                        \
  static inline __attribute__((always_inline)) void name(                      \
      const type *a, const type *b, type *c, uint32_t m, uint32_t n,           \
      uint32_t k) {                                                            \
    for (uint32_t row = 0; row < m; row += ROWS)                               \
      for (uint32_t column = 0; column < n; column += COLUMNS) {               \
        vector sums[ROWS], factor;                                             \
        type *to = c + row * n + column;                                       \
        const type *left = a + row * k;                                        \
        for (uint32_t r = 0; r < ROWS; ++r)                                    \
          memcpy(&sums[r], to + r * n, sizeof factor);                         \
        for (uint32_t x = 0; x < k; ++x) {                                     \
          memcpy(&factor, b + x * n + column, sizeof factor);                  \
          for (uint32_t r = 0; r < ROWS; ++r)                                  \
            sums[r] = add(sums[r], (element)left[r * k + x], factor);          \
        }                                                                      \
        for (uint32_t r = 0; r < ROWS; ++r)                                    \
          memcpy(to + r * n, &sums[r], sizeof factor);                         \
      }                                                                        \
  }

DEFINE_BLOCKS(blocks_f32, float, FUSE, float, floats)
DEFINE_BLOCKS(blocks_s32, int32_t, ADD_PRODUCT, uint32_t, words)

#ifdef WIDE
#define DEFINE_WIDE(name, type, blocks)                                        \
  WIDE static void name(const type *a, const type *b, type *c, uint32_t m,     \
                        uint32_t n, uint32_t k) {                              \
    if (n == COLUMNS)                                                          \
      blocks(a, b, c, m, COLUMNS, k);                                          \
    else                                                                       \
      blocks(a, b, c, m, n, k);                                                \
  }
DEFINE_WIDE(wide_f32, float, blocks_f32)
DEFINE_WIDE(wide_s32, int32_t, blocks_s32)
#else
#define HAS_WIDE() 0
#define wide_f32 blocks_f32
#define wide_s32 blocks_s32
#endif

void agpu__emu_multiply_f32(const float *a, const float *b, float *c,
                            uint32_t m, uint32_t n, uint32_t k) {
  if (HAS_WIDE())
    wide_f32(a, b, c, m, n, k);
  else
    blocks_f32(a, b, c, m, n, k);
}

void agpu__emu_multiply_s32(const int32_t *a, const int32_t *b, int32_t *c,
                            uint32_t m, uint32_t n, uint32_t k) {
  if (HAS_WIDE())
    wide_s32(a, b, c, m, n, k);
  else
    blocks_s32(a, b, c, m, n, k);
}

void agpu__emu_multiply_f64(const double *a, const double *b, double *c,
                            uint32_t m, uint32_t n, uint32_t k) {
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t j = 0; j < n; ++j) {
      double sum = c[row * n + j];
      for (uint32_t x = 0; x < k; ++x)
        sum = fma(a[row * k + x], b[x * n + j], sum);
      c[row * n + j] = sum;
    }
}
