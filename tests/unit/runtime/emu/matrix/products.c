//===- products.c - Products of a warp, shape by shape --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All shapes that mma and mma.sp have, but those of f64 and of bits, with all
// types of elements, selectors and scales, beside the reference that programs
// have too. What no instruction means is turned down, and says which lane has
// it.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/product.h"

#include "async_gpu/compiled/native_matrix.h"
#include "check.h"
#include "matrix_reference.h"

#include <math.h>

enum { ROUNDS = 1 };

static const agpu_native_element native[] = {
    [REFERENCE_F16] = AGPU_NATIVE_F16,     [REFERENCE_BF16] = AGPU_NATIVE_BF16,
    [REFERENCE_TF32] = AGPU_NATIVE_TF32,   [REFERENCE_F32] = AGPU_NATIVE_F32,
    [REFERENCE_S32] = AGPU_NATIVE_S32,     [REFERENCE_S8] = AGPU_NATIVE_S8,
    [REFERENCE_U8] = AGPU_NATIVE_U8,       [REFERENCE_S4] = AGPU_NATIVE_S4,
    [REFERENCE_U4] = AGPU_NATIVE_U4,       [REFERENCE_E4M3] = AGPU_NATIVE_E4M3,
    [REFERENCE_E5M2] = AGPU_NATIVE_E5M2,   [REFERENCE_E3M2] = AGPU_NATIVE_E3M2,
    [REFERENCE_E2M3] = AGPU_NATIVE_E2M3,   [REFERENCE_E2M1] = AGPU_NATIVE_E2M1,
    [REFERENCE_NIBBLE] = AGPU_NATIVE_E2M1,
};

static uint64_t seed = 1;
static uint32_t words[REFERENCE_LANES][REFERENCE_WORDS];
static uint32_t given[REFERENCE_LANES][REFERENCE_WORDS];
static unsigned tried;

static uint32_t mode_of(const reference_product *p) {
  static const uint32_t scales[] = {0, AGPU_NATIVE_SCALED_1X,
                                    AGPU_NATIVE_SCALED_2X, 0,
                                    AGPU_NATIVE_SCALED_4X};
  const agpu_native_element types[] = {native[p->a], native[p->b], native[p->c],
                                       native[p->c]};
  uint32_t properties =
      AGPU_NATIVE_COLUMNS_B | scales[p->scales] |
      (p->sparse ? AGPU_NATIVE_SPARSE | AGPU_NATIVE_ORDERED : 0u) |
      (p->is_ue4m3 ? AGPU_NATIVE_UE4M3 : 0u);
  return agpu_native_product(AGPU_NATIVE_MMA, p->m ? p->m : 16, 8, p->k, types,
                             properties |
                                 (p->saturates ? AGPU_NATIVE_SATURATED : 0u));
}

/// Multiplies what is in `words`, in `given`.
static agpu__emu_bad_lane multiply(const reference_product *p) {
  char *lanes[REFERENCE_LANES];
  memcpy(given, words, sizeof words);
  for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane)
    lanes[lane] = (char *)given[lane];
  return agpu__emu_product(mode_of(p), lanes);
}

static void try(const reference_product *p) {
  for (unsigned round = 0; round < ROUNDS; ++round) {
    uint32_t results[REFERENCE_LANES][REFERENCE_RESULTS];
    reference_fill(p, &seed, words);
    CHECK_EQ(multiply(p).lane, -1);
    for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane)
      memcpy(results[lane], given[lane], sizeof *results);
    unsigned wrong = reference_check(p, words, results);
    if (wrong)
      fprintf(stderr, "k=%u a=%d b=%d c=%d sparse=%d scales=%u selector=%u\n",
              p->k, (int)p->a, (int)p->b, (int)p->c, p->sparse, p->scales,
              p->selector);
    CHECK_EQ(wrong, 0);
    ++tried;
  }
}

/// Shapes have 128 or 256 bits of a row of A that are there; those of bytes
/// with scales only the latter.
static void try_shapes(reference_product p) {
  unsigned bits = reference_bits(p.a);
  for (unsigned row = 128; row <= 256; row *= 2)
    for (unsigned sparse = 0; sparse < 2; ++sparse) {
      p.sparse = sparse;
      p.k = row / bits * (1 + sparse);
      unsigned lanes = row / 128 * (bits < 16 ? 2 : 1); // with metadata
      for (p.selector = 0; sparse ? p.selector < 4 / lanes : !p.selector;
           ++p.selector)
        try(&p);
    }
}

static void test_floats(void) {
  static const reference_type wide[] = {REFERENCE_F16, REFERENCE_BF16,
                                        REFERENCE_TF32};
  for (unsigned i = 0; i < 3; ++i)
    try_shapes(
        (reference_product){.a = wide[i], .b = wide[i], .c = REFERENCE_F32});
  try_shapes((reference_product){
      .a = REFERENCE_F16, .b = REFERENCE_F16, .c = REFERENCE_F16});
  for (reference_type a = REFERENCE_E4M3; a <= REFERENCE_E2M1; ++a)
    for (reference_type b = REFERENCE_E4M3; b <= REFERENCE_E2M1; ++b)
      try_shapes((reference_product){.a = a, .b = b, .c = REFERENCE_F32});
}

static void test_integers(void) {
  for (reference_type a = REFERENCE_S8; a <= REFERENCE_U4; ++a)
    for (reference_type b = REFERENCE_S8; b <= REFERENCE_U4; ++b)
      if (reference_bits(a) == reference_bits(b)) {
        reference_product p = {.a = a, .b = b, .c = REFERENCE_S32};
        for (unsigned saturates = 0; saturates < 2; ++saturates) {
          p.saturates = saturates;
          try_shapes(p);
          p.k = 128 / reference_bits(a);
          p.m = 8;
          try(&p);
          p.m = 0;
        }
      }
}

static void test_scales(void) {
  for (unsigned sparse = 0; sparse < 2; ++sparse)
    for (unsigned scales = 1; scales <= 4; scales *= 2)
      for (unsigned ue4m3 = 0; ue4m3 < (scales == 4 ? 2u : 1u); ++ue4m3)
        for (unsigned i = 0; i < 32; ++i) {
          reference_type type =
              scales > 1 ? REFERENCE_NIBBLE : REFERENCE_E4M3 + i % 5;
          try(&(reference_product){.k = (scales > 1 ? 64u : 32u) * (1 + sparse),
                                   .a = type,
                                   .b = scales > 1 ? REFERENCE_NIBBLE
                                                   : REFERENCE_E4M3 + i % 3,
                                   .c = REFERENCE_F32,
                                   .sparse = sparse,
                                   .scales = scales,
                                   .is_ue4m3 = ue4m3,
                                   .byte_a = i % 4 / scales * scales,
                                   .thread_a = i / 4 % 2,
                                   .byte_b = (i + 1) % 4 / scales * scales,
                                   .thread_b = i / 8});
        }
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Sums of any numbers go from the first to the last, each rounded to nearest;
/// NaN is that of a card.
static void test_order(void) {
  static const reference_type types[] = {REFERENCE_F16, REFERENCE_BF16};
  for (unsigned i = 0; i < 400; ++i) {
    const reference_product p = {.k = i % 4 < 2 ? 8 : 16,
                                 .a = types[i % 2],
                                 .b = types[i % 2],
                                 .c = REFERENCE_F32};
    for (unsigned w = 0; w < REFERENCE_LANES * REFERENCE_WORDS; ++w) {
      seed = seed * UINT64_C(6364136223846793005) + 1;
      words[w / REFERENCE_WORDS][w % REFERENCE_WORDS] = (uint32_t)(seed >> 32);
    }
    CHECK_EQ(multiply(&p).lane, -1);
    unsigned registers = p.k / 4; // of A; half as many of B
    for (unsigned row = 0; row < 16; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        unsigned lane = row % 8 * 4 + column / 2;
        unsigned number = row / 8 * 2 + column % 2;
        float sum = float_of(words[lane][registers * 3 / 2 + number]);
        for (unsigned x = 0; x < p.k; ++x) {
          unsigned of = x % 8 / 2, shift = x % 2 * 16, eight = x / 8;
          uint32_t a = words[row % 8 * 4 + of][eight * 2 + row / 8];
          uint32_t b = words[column * 4 + of][registers + eight];
          sum = fmaf((float)reference_value(p.a, a >> shift & 0xffff),
                     (float)reference_value(p.b, b >> shift & 0xffff), sum);
        }
        uint32_t wanted;
        memcpy(&wanted, &sum, sizeof wanted);
        CHECK_EQ(given[lane][number], isnan(sum) ? 0x7fffffff : wanted);
      }
  }
}

static void test_bad_metadata(void) {
  const reference_product p = {.k = 32,
                               .a = REFERENCE_F16,
                               .b = REFERENCE_F16,
                               .c = REFERENCE_F32,
                               .sparse = true,
                               .selector = 1};
  unsigned at = reference_first_metadata(&p);
  // Lanes 2 and 3 of each four have the metadata.
  for (uint32_t bits = 0; bits < 16; ++bits) {
    bool rises = (bits & 3) < bits >> 2;
    reference_fill(&p, &seed, words);
    words[11][at] = (words[11][at] & ~0xf00u) | bits << 8;
    words[9][at] = ~0u; // nobody's
    CHECK_EQ(multiply(&p).lane, rises ? -1 : 11);
  }
  reference_fill(&p, &seed, words);
  for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane)
    words[lane][at + 1] = 2;
  CHECK_EQ(multiply(&p).lane, 0);
  reference_fill(&p, &seed, words);
  words[13][at + 1] = 0;
  CHECK_EQ(multiply(&p).lane, 13);
}

static void test_bad_scales(void) {
  const reference_product p = {.k = 64,
                               .a = REFERENCE_NIBBLE,
                               .b = REFERENCE_NIBBLE,
                               .c = REFERENCE_F32,
                               .scales = 2,
                               .byte_a = 2};
  static const struct {
    unsigned number; ///< of the register behind the scales
    uint32_t value;
    int lane;
  } rows[] = {{1, 1, 0}, {1, 4, 0},  {2, 2, 0},  {5, 4, 0},
              {4, 3, 0}, {1, 2, -1}, {5, 3, -1}, {1, 0, -1}};
  unsigned at = reference_first_scale(&p);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    reference_fill(&p, &seed, words);
    for (unsigned lane = 0; lane < REFERENCE_LANES; ++lane)
      words[lane][at + rows[i].number] = rows[i].value | 0xabcd0000u;
    CHECK_EQ(multiply(&p).lane, rows[i].lane);
  }
  reference_fill(&p, &seed, words);
  words[31][at + 5] = 1;
  CHECK_EQ(multiply(&p).lane, 31);
}

int main(void) {
  test_floats();
  test_integers();
  test_scales();
  test_order();
  test_bad_metadata();
  test_bad_scales();
  CHECK(tried > 350);
  return 0;
}
