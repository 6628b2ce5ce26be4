//===- wgmma.c - Matrix products of a warp group --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.mma_async of the PTX ISA. Both factors lie in shared memory, and each
// thread computes its own elements of the product: two rows of A by two columns
// of each eight of B. 32 bytes lie along K, whatever the type. A matrix
// descriptor says where a factor lies: in groups of 8 rows of 16 bytes, or of
// the 32, 64 or 128 bytes within which it is swizzled; along K where that is
// the contiguous dimension, else along M or N.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/wgmma.h"

#include "emu/matrix/numbers.h"
#include "emu/simt/tensor_map.h"

#include <math.h>
#include <string.h>

enum {
  CHUNK = 16, ///< bytes that swizzling moves as one
  LINE = AGPU__EMU_LINE,
  MOST_K = LINE ///< elements of a byte or more
};

/// A factor, as its descriptor has it.
typedef struct factor {
  uintptr_t base;
  uint32_t leading, stride; ///< bytes
  uint32_t width;           ///< bytes of a row of a group
  unsigned swizzle;         ///< CUtensorMapSwizzle
  uint32_t element;         ///< bytes, where K is not the contiguous dimension
  bool k_major;
} factor;

static agpu_native_element element_of(agpu_native_wgmma_type type) {
  switch (type) {
  case AGPU_NATIVE_WGMMA_F16: return AGPU_NATIVE_F16;
  case AGPU_NATIVE_WGMMA_TF32: return AGPU_NATIVE_TF32;
  case AGPU_NATIVE_WGMMA_U8: return AGPU_NATIVE_U8;
  case AGPU_NATIVE_WGMMA_S8: return AGPU_NATIVE_S8;
  case AGPU_NATIVE_WGMMA_B1: return AGPU_NATIVE_B1;
  case AGPU_NATIVE_WGMMA_BF16: return AGPU_NATIVE_BF16;
  case AGPU_NATIVE_WGMMA_E4M3: return AGPU_NATIVE_E4M3;
  case AGPU_NATIVE_WGMMA_E5M2: break;
  }
  return AGPU_NATIVE_E5M2;
}

/// Addresses in descriptors have 18 bits, of which a block's shared memory has
/// each once.
static factor decode(const agpu__emu_runner *runner, uint64_t descriptor,
                     uint32_t k, bool k_major) {
  static const unsigned swizzles[] = {
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
      CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_32B};
  static const uint32_t widths[] = {16, 128, 64, 32};
  uintptr_t shared = (uintptr_t)runner->block.shared;
  uint64_t mask = (1u << 18) - 1;
  unsigned mode = (unsigned)(descriptor >> 62);
  return (factor){.base = shared +
                          (((descriptor & 0x3fff) * CHUNK - shared) & mask),
                  .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * CHUNK,
                  .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * CHUNK,
                  .width = widths[mode],
                  .swizzle = swizzles[mode],
                  .element = LINE / k,
                  .k_major = k_major};
}

/// Where 16 bytes are that begin, in row (of A) or column (of B) `line`, at
/// byte `byte` along K.
static uintptr_t chunk_along_k(const factor *of, uint32_t line, uint32_t byte) {
  uint32_t offset = line % 8 * of->width + line / 8 * of->stride +
                    byte / CHUNK * (of->swizzle ? CHUNK : of->leading);
  bool flipped;
  return agpu__emu_swizzle(of->base + offset, of->swizzle, &flipped);
}

/// Where K is not contiguous: where an element is.
static uintptr_t place_across_k(const factor *of, uint32_t line, uint32_t k) {
  uint32_t bytes = line * of->element, chunk = bytes / CHUNK, offset;
  uint32_t chunks = of->width / CHUNK;
  if (of->swizzle)
    offset = k % 8 * of->width + k / 8 * of->stride + chunk % chunks * CHUNK +
             chunk / chunks * of->leading;
  else
    offset = k % 8 * CHUNK + k / 8 * of->leading + chunk * of->stride;
  bool flipped;
  return agpu__emu_swizzle(of->base + offset, of->swizzle, &flipped) +
         bytes % CHUNK;
}

void agpu__emu_wgmma_visit(const agpu__emu_runner *runner,
                           const agpu__emu_wgmma *op, uint32_t line,
                           agpu__emu_wgmma_visitor *visit, void *argument) {
  bool is_a = line < AGPU__EMU_WGMMA_ROWS;
  uint32_t transposed =
      is_a ? AGPU_NATIVE_WGMMA_TRANSPOSE_A : AGPU_NATIVE_WGMMA_TRANSPOSE_B;
  factor of = decode(runner, is_a ? op->descriptor_a : op->descriptor_b, op->k,
                     !(op->flags & transposed));
  if (!is_a)
    line -= AGPU__EMU_WGMMA_ROWS;
  if (of.k_major) {
    for (uint32_t byte = 0; byte < LINE; byte += CHUNK)
      visit(argument, chunk_along_k(&of, line, byte), CHUNK, of.swizzle);
    return;
  }
  for (uint32_t k = 0; k < LINE / of.element; ++k)
    visit(argument, place_across_k(&of, line, k), of.element, of.swizzle);
}

uint32_t agpu__emu_wgmma_row(uint32_t thread) {
  return thread / 32 % 4 * 16 + thread % 32 / 4;
}

/// Calls `add` for each column of B that the thread has sums of.
#define FOR_EACH_COLUMN(pair, column, n, lane)                                 \
  for (uint32_t pair = 0, column = (lane) % 4 * 2; pair < (n) / 4;             \
       ++pair, column = pair / 2 * 8 + (lane) % 4 * 2 + pair % 2)

/// Where the sum of the upper row in such a column is; that of the lower row
/// lies two after it.
static uint32_t sum_of(uint32_t pair) { return pair / 2 * 4 + pair % 2; }

static void multiply_floats(const agpu__emu_wgmma *op, uint32_t thread,
                            const agpu__emu_line *a, const agpu__emu_line *b,
                            float *d) {
  float rows[2][MOST_K], values[MOST_K];
  uint32_t row = agpu__emu_wgmma_row(thread);
  agpu_native_element type_a = element_of(op->type_a),
                      type_b = element_of(op->type_b);
  for (uint32_t half = 0; half < 2; ++half)
    agpu__emu_decode_floats(type_a, a[row + 8 * half].bytes, op->k, rows[half]);
  bool negative = !(op->flags & AGPU_NATIVE_WGMMA_NEGATE_A) !=
                  !(op->flags & AGPU_NATIVE_WGMMA_NEGATE_B);
  for (uint32_t i = 0; negative && i < op->k; ++i) {
    rows[0][i] = -rows[0][i];
    rows[1][i] = -rows[1][i];
  }
  FOR_EACH_COLUMN(pair, column, op->n, thread % 32) {
    agpu__emu_decode_floats(type_b, b[column].bytes, op->k, values);
    float *first = &d[sum_of(pair)], *second = first + 2;
    for (uint32_t i = 0; i < op->k; ++i) {
      *first += rows[0][i] * values[i];
      *second += rows[1][i] * values[i];
    }
  }
}

/// Sums of f16 are rounded once, when all products have been added.
static void multiply_to_f16(const agpu__emu_wgmma *op, uint32_t thread,
                            const agpu__emu_line *a, const agpu__emu_line *b,
                            uint16_t *d) {
  float sums[256 / 2];
  agpu__emu_decode_floats(AGPU_NATIVE_F16, d, op->n / 2, sums);
  multiply_floats(op, thread, a, b, sums);
  for (uint32_t i = 0; i < op->n / 2; ++i)
    d[i] = (uint16_t)agpu__emu_to_f16(sums[i]);
}

static void multiply_to_f32(const agpu__emu_wgmma *op, uint32_t thread,
                            const agpu__emu_line *a, const agpu__emu_line *b,
                            float *d) {
  multiply_floats(op, thread, a, b, d);
  for (uint32_t i = 0; i < op->n / 2; ++i)
    d[i] = isnan(d[i]) ? agpu__emu_f32(AGPU__EMU_NAN_F32) : d[i];
}

static int64_t dot(const agpu__emu_wgmma *op, const agpu__emu_line *row,
                   const agpu__emu_line *column) {
  int64_t sum = 0;
  if (op->type_a == AGPU_NATIVE_WGMMA_B1) {
    uint32_t left[LINE / 4], right[LINE / 4];
    memcpy(left, row, LINE);
    memcpy(right, column, LINE);
    for (uint32_t i = 0; i < LINE / 4; ++i)
      sum += __builtin_popcount(left[i] & right[i]);
    return sum;
  }
  int32_t left[LINE], right[LINE];
  agpu__emu_decode_integers(element_of(op->type_a), row->bytes, LINE, left);
  agpu__emu_decode_integers(element_of(op->type_b), column->bytes, LINE, right);
  for (uint32_t i = 0; i < LINE; ++i)
    sum += left[i] * right[i];
  return sum;
}

static void multiply_integers(const agpu__emu_wgmma *op, uint32_t thread,
                              const agpu__emu_line *a, const agpu__emu_line *b,
                              int32_t *d) {
  bool saturates = op->flags & AGPU_NATIVE_WGMMA_SATURATE;
  const agpu__emu_line *rows = &a[agpu__emu_wgmma_row(thread)];
  FOR_EACH_COLUMN(pair, column, op->n, thread % 32) {
    for (uint32_t half = 0; half < 2; ++half) {
      int32_t *to = &d[sum_of(pair) + 2 * half];
      int64_t sum = *to + dot(op, &rows[8 * half], &b[column]);
      if (saturates && sum > INT32_MAX)
        sum = INT32_MAX;
      if (saturates && sum < INT32_MIN)
        sum = INT32_MIN;
      *to = (int32_t)(uint32_t)(uint64_t)sum;
    }
  }
}

void agpu__emu_wgmma_multiply(const agpu__emu_wgmma *op, uint32_t thread,
                              const agpu__emu_line *lines, void *sums) {
  const agpu__emu_line *a = lines, *b = lines + AGPU__EMU_WGMMA_ROWS;
  if (op->flags & AGPU_NATIVE_WGMMA_ZERO)
    memset(sums, 0, agpu__emu_wgmma_bytes(op));
  switch (op->type_a) {
  case AGPU_NATIVE_WGMMA_B1:
  case AGPU_NATIVE_WGMMA_S8:
  case AGPU_NATIVE_WGMMA_U8: multiply_integers(op, thread, a, b, sums); return;
  default: break;
  }
  if (op->flags & AGPU_NATIVE_WGMMA_F16_SUMS)
    multiply_to_f16(op, thread, a, b, sums);
  else
    multiply_to_f32(op, thread, a, b, sums);
}
