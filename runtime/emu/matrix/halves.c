//===- halves.c - Products of floats of 16 bits, fast ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tensor cores are used for most, m16n8k16 and m16n8k8, by x86's vector
// instructions from the lanes' registers to the lanes' registers. Four lanes
// have what belongs to a row of A, B or C: their registers are a matrix of 4 by
// 4 words, which is transposed. Sums of a row are kept as the registers have
// them, first those of even columns, then those of odd ones, so that B's
// columns are taken in this order. Each sum goes from the first product to the
// last, as in multiply.c.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/halves.h"

#include "async_gpu/compiled/native_matrix.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include "emu/matrix/numbers.h"

#include <immintrin.h>

#define WIDE __attribute__((target("avx2,fma,f16c")))
#define INLINE static inline __attribute__((always_inline)) WIDE

/// In front of loops whose arrays are to be registers.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { GROUPS = 8, WORD = 4 };

/// Words `first` to first + 3 of four lanes: a vector for each word.
INLINE void load_words(char *const *lanes, uint32_t first, __m128 out[4]) {
  UNROLL for (uint32_t i = 0; i < 4; ++i) out[i] = _mm_loadu_ps(
      (const float *)(const void *)(lanes[i] + (size_t)first * WORD));
  _MM_TRANSPOSE4_PS(out[0], out[1], out[2], out[3]);
}

/// Eight elements of a row.
INLINE __m256 decode(__m128 words, bool is_bf16) {
  __m128i bits = _mm_castps_si128(words);
  return is_bf16 ? _mm256_castsi256_ps(
                       _mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16))
                 : _mm256_cvtph_ps(bits);
}

INLINE void transpose(__m256 rows[8]) {
  __m256 pairs[8], fours[8];
  UNROLL for (uint32_t i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
  }
  UNROLL for (uint32_t i = 0; i < 8; i += 4)
      UNROLL for (uint32_t j = 0; j < 2; ++j) {
    fours[i + 2 * j] = _mm256_shuffle_ps(pairs[i + j], pairs[i + 2 + j],
                                         _MM_SHUFFLE(1, 0, 1, 0));
    fours[i + 2 * j + 1] = _mm256_shuffle_ps(pairs[i + j], pairs[i + 2 + j],
                                             _MM_SHUFFLE(3, 2, 3, 2));
  }
  UNROLL for (uint32_t i = 0; i < 4; ++i) {
    rows[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    rows[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}

/// Eight rows at once, whose sums stay in registers.
#define FOR_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

INLINE void add_products(float (*a)[GROUPS][8], __m256 (*b)[8], uint32_t depth,
                         __m256 sums[GROUPS]) {
#define TAKE(row) __m256 sum##row = sums[row];
#define ADD(row)                                                               \
  sum##row = _mm256_fmadd_ps(_mm256_broadcast_ss(&a[eight][row][x]), factor,   \
                             sum##row);
#define GIVE(row) sums[row] = sum##row;
  FOR_EACH_ROW(TAKE)
  for (uint32_t eight = 0; eight < depth; ++eight)
    for (uint32_t x = 0; x < 8; ++x) {
      __m256 factor = b[eight][x];
      FOR_EACH_ROW(ADD)
    }
  FOR_EACH_ROW(GIVE)
#undef TAKE
#undef ADD
#undef GIVE
}

/// `depth`: eights of K.
INLINE void multiply(char *const *lanes, uint32_t depth, bool is_bf16) {
  float a[2][2][GROUPS][8] __attribute__((aligned(32))); // half, eight of K
  __m256 b[2][8], sums[2][GROUPS];
  uint32_t first_b = 2 * depth, first_c = 3 * depth;
  for (uint32_t group = 0; group < GROUPS; ++group) {
    char *const *own = lanes + (size_t)group * 4;
    __m128 words[4], factors[4], others[4];
    load_words(own, 0, factors);
    load_words(own, first_b, others);
    load_words(own, first_c, words);
    UNROLL for (uint32_t half = 0; half < 2; ++half) {
      sums[half][group] = _mm256_set_m128(words[2 * half + 1], words[2 * half]);
      UNROLL for (uint32_t eight = 0; eight < depth; ++eight) _mm256_store_ps(
          a[half][eight][group], decode(factors[2 * eight + half], is_bf16));
    }
    UNROLL for (uint32_t eight = 0; eight < depth; ++eight)
        b[eight][group / 2 + group % 2 * 4] = decode(others[eight], is_bf16);
  }
  for (uint32_t eight = 0; eight < depth; ++eight)
    transpose(b[eight]);
  for (uint32_t half = 0; half < 2; ++half)
    add_products(a[half], b, depth, sums[half]);
  __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(AGPU__EMU_NAN_F32));
  for (uint32_t group = 0; group < GROUPS; ++group) {
    __m128 words[4];
    UNROLL for (uint32_t half = 0; half < 2; ++half) {
      __m256 sum = sums[half][group];
      sum = _mm256_blendv_ps(sum, nan, _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q));
      words[2 * half] = _mm256_castps256_ps128(sum);
      words[2 * half + 1] = _mm256_extractf128_ps(sum, 1);
    }
    _MM_TRANSPOSE4_PS(words[0], words[1], words[2], words[3]);
    UNROLL for (uint32_t i = 0; i < 4; ++i)
        _mm_storeu_ps((float *)(void *)lanes[group * 4 + i], words[i]);
  }
}

WIDE static void multiply_f16_16(char *const *lanes) {
  multiply(lanes, 2, false);
}
WIDE static void multiply_f16_8(char *const *lanes) {
  multiply(lanes, 1, false);
}
WIDE static void multiply_bf16_16(char *const *lanes) {
  multiply(lanes, 2, true);
}
WIDE static void multiply_bf16_8(char *const *lanes) {
  multiply(lanes, 1, true);
}

bool agpu__emu_product_halves(uint32_t mode, char *const *lanes) {
  bool is_bf16 = AGPU_NATIVE_A_OF(mode) == AGPU_NATIVE_BF16;
  uint32_t k = AGPU_NATIVE_K_OF(mode);
  const agpu_native_element type = is_bf16 ? AGPU_NATIVE_BF16 : AGPU_NATIVE_F16;
  const agpu_native_element types[] = {type, type, AGPU_NATIVE_F32,
                                       AGPU_NATIVE_F32};
  if (mode != agpu_native_product(AGPU_NATIVE_MMA, 16, 8, k, types,
                                  AGPU_NATIVE_COLUMNS_B) ||
      (k != 8 && k != 16) || !__builtin_cpu_supports("avx2") ||
      !__builtin_cpu_supports("fma")) // f16c comes with avx2
    return false;
  if (k == 16)
    (is_bf16 ? multiply_bf16_16 : multiply_f16_16)(lanes);
  else
    (is_bf16 ? multiply_bf16_8 : multiply_f16_8)(lanes);
  return true;
}

#else

bool agpu__emu_product_halves(uint32_t mode, char *const *lanes) {
  (void)mode;
  (void)lanes;
  return false;
}

#endif
