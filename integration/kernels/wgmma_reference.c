//===- wgmma_reference.c - What products of a warp group give -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for wgmma" and the canonical layouts of matrices
// in shared memory: what wgmma_types.mlir calls.
//
//===----------------------------------------------------------------------===//

#include "reference_numbers.h"

enum {
  GROUP_THREADS = 128,
  GROUP_ROWS = 64,
  LINE_BYTES = 32, ///< along K, of all types
  IMAGE_A = 0,     ///< words in front of each
  IMAGE_B = 2048,
  IMAGE_SUMS = 3072,
};

/// The products of wgmma_types.mlir, in their order. A type of one bit is
/// REFERENCE_S32: 32 at a time.
static const struct group_product {
  unsigned n;
  reference_type a, b, sum;
  bool saturates, negates, zeroes;
  bool across_a, across_b; ///< K is not the contiguous dimension
} group_products[] = {
    {24, REFERENCE_F16, REFERENCE_F16, REFERENCE_F32, 0, 0, 0, 0, 0},
    {16, REFERENCE_F16, REFERENCE_F16, REFERENCE_F16, 0, 0, 0, 0, 1},
    {8, REFERENCE_BF16, REFERENCE_BF16, REFERENCE_F32, 0, 1, 0, 1, 0},
    {8, REFERENCE_TF32, REFERENCE_TF32, REFERENCE_F32, 0, 0, 1, 0, 0},
    {8, REFERENCE_S8, REFERENCE_U8, REFERENCE_S32, 1, 0, 0, 0, 0},
    {32, REFERENCE_U8, REFERENCE_U8, REFERENCE_S32, 0, 0, 0, 0, 0},
    {8, REFERENCE_E4M3, REFERENCE_E5M2, REFERENCE_F32, 0, 0, 0, 0, 0},
    {8, REFERENCE_E5M2, REFERENCE_E4M3, REFERENCE_F16, 0, 1, 0, 0, 0},
    {8, REFERENCE_S32, REFERENCE_S32, REFERENCE_S32, 0, 0, 0, 0, 0},
};

/// How a matrix lies, in bytes: not swizzled, or by 32, 64 or 128.
typedef struct group_layout {
  unsigned width, leading, stride;
} group_layout;

static group_layout layout_of(int32_t layout, bool across) {
  unsigned width = layout ? 16u << layout : 0;
  if (!width)
    return (group_layout){0, 128, 256};
  return (group_layout){width, across ? 16 * width : 16, 8 * width};
}

/// The canonical layouts: of 16 bytes each, T elements. Along K, rows of a
/// group of 8 lie one behind the other, groups `stride` apart; across K, lines
/// lie in rows, of which 8 are a group.
static unsigned offset_of(const group_layout *of, bool across, unsigned line,
                          unsigned byte, unsigned element) {
  unsigned offset;
  if (!across) {
    unsigned chunk = byte / 16;
    offset = of->width
                 ? line % 8 * of->width + line / 8 * of->stride + chunk * 16
                 : line % 8 * 16 + line / 8 * of->stride + chunk * of->leading;
    offset += byte % 16;
  } else {
    unsigned k = byte / element, along = line * element, chunk = along / 16;
    unsigned chunks = of->width / 16;
    offset = of->width ? k % 8 * of->width + k / 8 * of->stride +
                             chunk % chunks * 16 + chunk / chunks * of->leading
                       : k % 8 * 16 + k / 8 * of->leading + chunk * of->stride;
    offset += along % 16 + byte % element;
  }
  unsigned mask = of->width ? of->width / 16 - 1 : 0;
  return offset ^ (offset >> 7 & mask) << 4;
}

/// Element `i` of a line, from an image.
static uint32_t group_element(const uint32_t *image, const group_layout *of,
                              bool across, reference_type type, unsigned line,
                              unsigned i) {
  unsigned bytes = types[type].bits / 8;
  uint32_t value = 0;
  memcpy(&value,
         (const char *)image + offset_of(of, across, line, i * bytes, bytes),
         bytes);
  return value;
}

static double group_sum(const struct group_product *p, const uint32_t *words,
                        int32_t layout, unsigned row, unsigned column,
                        double sum) {
  group_layout a = layout_of(layout, p->across_a);
  group_layout b = layout_of(layout, p->across_b);
  bool bits = p->a == REFERENCE_S32;
  for (unsigned i = 0; i < LINE_BYTES * 8 / types[p->a].bits; ++i) {
    uint32_t x = group_element(words + IMAGE_A, &a, p->across_a, p->a, row, i);
    uint32_t y =
        group_element(words + IMAGE_B, &b, p->across_b, p->b, column, i);
    if (bits)
      sum += __builtin_popcount(x & y);
    else
      sum += (p->negates ? -1 : 1) * value_of(p->a, x) * value_of(p->b, y);
  }
  if (p->saturates)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return sum;
}

EXPORT void wgmma_fill(int32_t which, int32_t layout, MEMREF(words),
                       void *descriptors_allocated, int64_t *descriptors,
                       int64_t descriptors_offset, int64_t descriptors_size,
                       int64_t descriptors_stride);
EXPORT int32_t wgmma_check(int32_t which, int32_t layout, int32_t blocks,
                           MEMREF(words), MEMREF(results));

void wgmma_fill(int32_t which, int32_t layout, MEMREF(words),
                void *descriptors_allocated, int64_t *descriptors,
                int64_t descriptors_offset, int64_t descriptors_size,
                int64_t descriptors_stride) {
  static const int64_t modes[] = {0, 3, 2, 1};
  const struct group_product *p = &group_products[which];
  uint64_t random = 3u + (uint64_t)which;
  UNUSED(words);
  UNUSED(descriptors);
  for (unsigned i = 0; i < IMAGE_SUMS; ++i)
    for (unsigned at = 0; at < 32; at += types[p->a].bits)
      words[i] = (at ? words[i] : 0) |
                 encode(i < IMAGE_B ? p->a : p->b, &random, 3) << at;
  for (int64_t i = IMAGE_SUMS; i < words_size; ++i)
    for (unsigned at = 0; at < 32; at += types[p->sum].bits)
      words[i] = (at ? words[i] : 0) | encode(p->sum, &random, 8) << at;
  for (int64_t i = IMAGE_SUMS; p->saturates && i < words_size; i += 3)
    words[i] = i % 2 ? INT32_MAX - 100u : 0x80000000u + 100u;
  for (int of = 0; of < 2; ++of) {
    group_layout own = layout_of(layout, of ? p->across_b : p->across_a);
    descriptors[of] = (int64_t)((uint64_t)modes[layout] << 62 |
                                (uint64_t)(own.stride >> 4) << 32 |
                                (uint64_t)(own.leading >> 4) << 16);
  }
}

/// Thread t of the group has rows 16 (t / 32) + t % 32 / 4 and that 8 below,
/// and of each 8 columns two.
int32_t wgmma_check(int32_t which, int32_t layout, int32_t blocks,
                    MEMREF(words), MEMREF(results)) {
  const struct group_product *p = &group_products[which];
  unsigned bits = types[p->sum].bits, wrong = 0;
  unsigned each = p->n / 2 * bits / 32; // registers
  UNUSED(words);
  UNUSED(results);
  for (unsigned block = 0; block < (unsigned)blocks; ++block)
    for (unsigned thread = 0; thread < GROUP_THREADS; ++thread)
      for (unsigned i = 0; i < p->n / 2; ++i) {
        unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
        unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        unsigned place = i % (32 / bits), word = thread * each + i * bits / 32;
        double sum =
            p->zeroes
                ? 0
                : value_of(p->sum, cut(words[IMAGE_SUMS + word], bits, place));
        for (unsigned time = 0; time < 1 + (block > 0); ++time)
          sum = group_sum(p, words, layout, row, column, sum);
        double is =
            value_of(p->sum, cut(results[block * GROUP_THREADS * each + word],
                                 bits, place));
        if (p->sum == REFERENCE_S32)
          wrong += (uint32_t)(int64_t)sum != (uint32_t)(int64_t)is;
        else
          wrong += !(is == sum);
      }
  return (int32_t)wrong;
}
