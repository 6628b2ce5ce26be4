//===- scales.c - Scales for blocks of matrices ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Block Scaling for mma.sync". Two lanes of each four have the scales
// of two rows of A, 8 apart; one has those of a column of B. Which lanes, and
// from which byte of their registers on, the instruction says by selectors,
// which have to be the same in all lanes.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/scales.h"

#include "async_gpu/compiled/native_matrix.h"
#include "emu/matrix/fragments.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { REGISTER = 4, ROWS = 16, COLUMNS = 8 };

/// One of the two triples of registers.
typedef struct triple {
  size_t offset;
  uint32_t threads; ///< that the selector may name
  uint16_t byte, thread;
} triple;

static uint16_t read_half(const char *at) {
  uint16_t half;
  memcpy(&half, at, sizeof half);
  return half;
}

/// ue8m0 is an exponent; ue4m3 has no sign.
static double decode(uint8_t byte, bool is_ue4m3) {
  if (byte == 0xff || (is_ue4m3 && (byte & 0x7f) == 0x7f))
    return NAN;
  if (!is_ue4m3)
    return ldexp(1.0, byte - 127);
  int exponent = byte >> 3 & 15, fraction = byte & 7;
  return exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
}

/// Reads the selectors; returns a lane whose are none, or -1.
static int select_lanes(char *const *lanes, triple *self, uint32_t blocks) {
  self->byte = read_half(lanes[0] + self->offset + REGISTER);
  self->thread = read_half(lanes[0] + self->offset + 2 * REGISTER);
  if (self->byte % blocks || self->byte >= 4 || self->thread >= self->threads)
    return 0;
  for (int lane = 1; lane < (int)AGPU__EMU_LANES; ++lane)
    if (read_half(lanes[lane] + self->offset + REGISTER) != self->byte ||
        read_half(lanes[lane] + self->offset + 2 * REGISTER) != self->thread)
      return lane;
  return -1;
}

agpu__emu_bad_lane agpu__emu_take_scales(char *const *lanes, size_t offset,
                                         uint32_t properties,
                                         agpu__emu_scales *out) {
  uint32_t blocks = AGPU_NATIVE_SCALES_OF(properties);
  bool is_ue4m3 = properties & AGPU_NATIVE_UE4M3;
  triple a = {.offset = offset, .threads = 2};
  triple b = {.offset = offset + (size_t)3 * REGISTER, .threads = 4};
  int bad = select_lanes(lanes, &a, blocks);
  if (bad < 0)
    bad = select_lanes(lanes, &b, blocks);
  if (bad >= 0)
    return (agpu__emu_bad_lane){
        bad, "selects scales by a byte or a thread that these have not, or "
             "that is not the same in all lanes"};
  for (uint32_t i = 0; i < blocks; ++i) {
    for (uint32_t row = 0; row < ROWS; ++row)
      out->a[row][i] = decode((uint8_t)lanes[row % 8 * 4 + a.thread * 2u +
                                             row / 8][a.offset + a.byte + i],
                              is_ue4m3);
    for (uint32_t column = 0; column < COLUMNS; ++column)
      out->b[column][i] =
          decode((uint8_t)lanes[column * 4 + b.thread][b.offset + b.byte + i],
                 is_ue4m3);
  }
  return (agpu__emu_bad_lane){-1, NULL};
}

void agpu__emu_multiply_scaled(const float *a, const float *b, float *c,
                               uint32_t m, uint32_t n, uint32_t k,
                               uint32_t blocks,
                               const agpu__emu_scales *scales) {
  uint32_t length = k / blocks;
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t column = 0; column < n; ++column) {
      double sum = c[row * n + column];
      for (uint32_t block = 0; block < blocks; ++block) {
        double part = 0;
        for (uint32_t x = block * length; x < (block + 1) * length; ++x)
          part += (double)a[row * k + x] * b[x * n + column];
        sum += part * scales->a[row][block] * scales->b[column][block];
      }
      c[row * n + column] = (float)sum;
    }
}
