//===- multiply.c - Dense products ----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row of C at a time stays in vector registers; A's elements are spread
// over them. The runtime is compiled for any processor of its kind, so that
// x86's wider registers take functions of their own, chosen when they run.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/multiply.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
#define HAS_WIDE() __builtin_cpu_supports("avx2")
#endif

#define INLINE static inline __attribute__((always_inline))

/// A product whose n is a constant where it is inlined.
#define DEFINE_ROWS(name, type, sum)                                           \
  INLINE void name(const type *a, const type *b, type *c, uint32_t m,          \
                   uint32_t n, uint32_t k) {                                   \
    for (uint32_t row = 0; row < m; ++row) {                                   \
      sum sums[32];                                                            \
      for (uint32_t j = 0; j < n; ++j)                                         \
        sums[j] = (sum)c[row * n + j];                                         \
      for (uint32_t x = 0; x < k; ++x) {                                       \
        sum factor = (sum)a[row * k + x];                                      \
        for (uint32_t j = 0; j < n; ++j)                                       \
          sums[j] += factor * (sum)b[x * n + j];                               \
      }                                                                        \
      for (uint32_t j = 0; j < n; ++j)                                         \
        c[row * n + j] = (type)sums[j];                                        \
    }                                                                          \
  }

DEFINE_ROWS(rows_f32, float, float)
DEFINE_ROWS(rows_s32, int32_t, uint32_t)

#define DEFINE_SHAPES(name, rows, type)                                        \
  static void name(const type *a, const type *b, type *c, uint32_t m,          \
                   uint32_t n, uint32_t k) {                                   \
    if (n == 8)                                                                \
      rows(a, b, c, m, 8, k);                                                  \
    else if (n == 16)                                                          \
      rows(a, b, c, m, 16, k);                                                 \
    else                                                                       \
      rows(a, b, c, m, 32, k);                                                 \
  }

DEFINE_SHAPES(plain_f32, rows_f32, float)
DEFINE_SHAPES(plain_s32, rows_s32, int32_t)

#ifdef WIDE
WIDE DEFINE_SHAPES(wide_f32, rows_f32, float) WIDE
    DEFINE_SHAPES(wide_s32, rows_s32, int32_t)
#endif

        void agpu__emu_multiply_f32(const float *a, const float *b, float *c,
                                    uint32_t m, uint32_t n, uint32_t k) {
#ifdef WIDE
  if (HAS_WIDE()) {
    wide_f32(a, b, c, m, n, k);
    return;
  }
#endif
  plain_f32(a, b, c, m, n, k);
}

void agpu__emu_multiply_s32(const int32_t *a, const int32_t *b, int32_t *c,
                            uint32_t m, uint32_t n, uint32_t k) {
#ifdef WIDE
  if (HAS_WIDE()) {
    wide_s32(a, b, c, m, n, k);
    return;
  }
#endif
  plain_s32(a, b, c, m, n, k);
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
