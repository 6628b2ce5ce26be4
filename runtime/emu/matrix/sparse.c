//===- sparse.c - Matrices with half of their elements --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Sparse matrix storage" and the figures after it. Four bits of
// metadata are for one chunk of a row: 4 elements of 8 or 16 bits of which 2
// are there, 8 of 4 bits of which 2 pairs are, 2 of tf32 of which one is (two
// of its four halves). Of each four lanes that have a row and the one 8 further
// on, a quarter, a half or all have metadata; the selector says which. Four
// chunks of both rows lie in one lane, or, of less than 16 bits, eight of one
// row.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/sparse.h"

#include "emu/matrix/fragments.h"

#include <string.h>

enum { ROWS = 16 };

/// What is the same for all chunks.
typedef struct layout {
  uint32_t chunk; ///< elements that one has, or would have
  uint32_t parts; ///< elements that one index is for: 1, of 4 bits 2
  uint32_t lanes; ///< that have the metadata of rows l / 4 and l / 4 + 8
  uint32_t first_lane;
  bool wide;   ///< elements of 16 bits or more
  bool single; ///< tf32
} layout;

static uint32_t read_word(const char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static layout find_layout(agpu_native_element type, uint32_t k,
                          uint32_t selector) {
  layout self = {.chunk = 4, .parts = 1};
  switch (type) {
  case AGPU_NATIVE_TF32: self.single = self.wide = true; break;
  case AGPU_NATIVE_F16:
  case AGPU_NATIVE_BF16: self.wide = true; break;
  case AGPU_NATIVE_S4:
  case AGPU_NATIVE_U4: self.parts = 2; break;
  default: break;
  }
  self.chunk = self.single ? 2 : 4 * self.parts;
  uint32_t chunks = k / self.chunk;
  self.lanes = self.wide ? chunks / 4 : chunks / 8 * 2;
  self.first_lane = selector < 4 ? selector * self.lanes : 4;
  return self;
}

/// The first lane whose selector is none, or is not as the others'; -1: none.
static int check_selectors(char *const *lanes, size_t offset,
                           const layout *self) {
  if (self->first_lane + self->lanes > 4)
    return 0;
  uint32_t selector = read_word(lanes[0] + offset);
  for (int lane = 1; lane < (int)AGPU__EMU_LANES; ++lane)
    if (read_word(lanes[lane] + offset) != selector)
      return lane;
  return -1;
}

/// The lane that has the metadata of a chunk, and from which bit on.
static uint32_t find_bits(const layout *self, uint32_t row, uint32_t chunk,
                          uint32_t *out_shift) {
  uint32_t lane = row % 8 * 4 + self->first_lane, second = row / 8;
  if (self->wide) {
    *out_shift = chunk % 4 * 4 + second * 16;
    return lane + chunk / 4;
  }
  *out_shift = chunk % 8 * 4;
  return lane + chunk / 8 * 2 + second;
}

agpu__emu_bad_lane agpu__emu_expand_sparse(char *const *lanes, size_t offset,
                                           agpu_native_element type, uint32_t k,
                                           bool is_ordered,
                                           const uint32_t *half,
                                           uint32_t *out_whole) {
  size_t selector = offset + sizeof(uint32_t);
  layout self = find_layout(type, k, read_word(lanes[0] + selector));
  int bad_selector = check_selectors(lanes, selector, &self);
  if (bad_selector >= 0)
    return (agpu__emu_bad_lane){
        bad_selector, "has a sparsity selector for a product of matrices that "
                      "names no lanes, or others than its warp's"};
  memset(out_whole, 0, (size_t)ROWS * k * sizeof *out_whole);
  for (uint32_t row = 0; row < ROWS; ++row)
    for (uint32_t chunk = 0; chunk < k / self.chunk; ++chunk) {
      uint32_t shift, lane = find_bits(&self, row, chunk, &shift);
      uint32_t bits = read_word(lanes[lane] + offset) >> shift & 15;
      uint32_t low = bits & 3, high = bits >> 2;
      uint32_t *to = out_whole + row * k + chunk * self.chunk;
      if (low == high || (self.single && (low % 2 != 0 || high != low + 1)))
        return (agpu__emu_bad_lane){
            (int)lane, "has metadata for a product of matrices that names one "
                       "element twice, or none"};
      if (is_ordered && low > high)
        return (agpu__emu_bad_lane){
            (int)lane, "has metadata for a product of matrices whose indices "
                       "are not in order"};
      if (self.single) {
        to[low / 2] = *half++;
        continue;
      }
      for (uint32_t i = 0; i < self.parts; ++i)
        to[low * self.parts + i] = *half++;
      for (uint32_t i = 0; i < self.parts; ++i)
        to[high * self.parts + i] = *half++;
    }
  return (agpu__emu_bad_lane){-1, NULL};
}
