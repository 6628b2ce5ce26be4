//===- rows.c - Matrices that lanes load and store by rows ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, ldmatrix and stmatrix: which lane has which row, and which elements
// of the matrices go to which lane. Memory is the kernel's to access.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/rows.h"

#include "async_gpu/compiled/native_matrix.h"
#include "emu/matrix/fragments.h"

#include <stdbool.h>
#include <string.h>

enum { ROW_BYTES = 16, WORD_BYTES = 4 };

/// How the bytes of a register lie in rows.
typedef enum pattern {
  BESIDE,  ///< four bytes of a row: 8 by 8, 8 by 16
  BELOW_2, ///< two halves of a column: 8 by 8, transposed
  BELOW_4, ///< four bytes of a column: 16 by 16
  SQUARE,  ///< two bytes of two rows, which are columns: 16 by 8
} pattern;

/// The row, by the lane that has it, and the byte in it, of byte `i` of
/// register `r` of a lane.
static inline __attribute__((always_inline)) uint32_t place_of(
    pattern kind, uint32_t lane, uint32_t r, uint32_t i, uint32_t *out_byte) {
  uint32_t group = lane / 4, in_group = lane % 4;
  switch (kind) {
  case BESIDE: *out_byte = in_group * 4 + i; return r * 8 + group;
  case BELOW_2:
    *out_byte = group * 2 + i % 2;
    return r * 8 + in_group * 2 + i / 2;
  case BELOW_4:
    *out_byte = group + r % 2 * 8;
    return r / 2 * 16 + in_group * 4 + i;
  case SQUARE: break;
  }
  *out_byte = group + i / 2 * 8;
  return r * 8 + in_group * 2 + i % 2;
}

/// Copies between rows and the registers of all lanes, as many bytes at once as
/// lie together.
static inline __attribute__((always_inline)) void
move(char (*rows)[ROW_BYTES], char (*registers)[ROW_BYTES], pattern kind,
     uint32_t count, bool from_rows) {
  uint32_t unit = kind == BESIDE ? WORD_BYTES : kind == BELOW_2 ? 2 : 1;
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    for (uint32_t r = 0; r < count; ++r)
      for (uint32_t i = 0; i < WORD_BYTES; i += unit) {
        uint32_t byte, row = place_of(kind, lane, r, i, &byte);
        char *own = &registers[lane][r * WORD_BYTES + i];
        if (from_rows)
          memcpy(own, &rows[row][byte], unit);
        else
          memcpy(&rows[row][byte], own, unit);
      }
}

/// Elements of 6 or 4 bits get a byte each.
static void widen(char row[ROW_BYTES], uint32_t bits) {
  uint8_t packed[ROW_BYTES + 1] = {0};
  memcpy(packed, row, ROW_BYTES);
  for (uint32_t i = 0; i < ROW_BYTES; ++i) {
    uint32_t at = i * bits, low = packed[at / 8], high = packed[at / 8 + 1];
    uint32_t pair = low | high << 8;
    row[i] = (char)(pair >> at % 8 & ((1u << bits) - 1));
  }
}

static uint32_t packed_bits(agpu_native_row_shape shape) {
  switch (shape) {
  case AGPU_NATIVE_8X16_B6:
  case AGPU_NATIVE_16X16_B6: return 6;
  case AGPU_NATIVE_8X16_B4:
  case AGPU_NATIVE_16X16_B4: return 4;
  default: return 0;
  }
}

void agpu__emu_rows(uint32_t mode, char *const *lanes) {
  char loaded[AGPU__EMU_LANES][ROW_BYTES];
  char placed[AGPU__EMU_LANES][ROW_BYTES] = {{0}};
  agpu_native_row_shape shape = AGPU_NATIVE_ROW_SHAPE_OF(mode);
  uint32_t bits = packed_bits(shape), count = AGPU_NATIVE_ROW_COUNT_OF(mode);
  bool from_rows = AGPU_NATIVE_COLLECTIVE_OF(mode) == AGPU_NATIVE_FROM_ROWS;
  char (*rows)[ROW_BYTES] = from_rows ? loaded : placed;
  char (*registers)[ROW_BYTES] = from_rows ? placed : loaded;
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane) {
    memcpy(loaded[lane], lanes[lane], ROW_BYTES);
    if (bits)
      widen(loaded[lane], bits);
  }
  switch (shape) {
  case AGPU_NATIVE_8X8_B16:
    if (AGPU_NATIVE_TRANSPOSED_OF(mode))
      move(rows, registers, BELOW_2, count, from_rows);
    else
      move(rows, registers, BESIDE, count, from_rows);
    break;
  case AGPU_NATIVE_8X16_B6:
  case AGPU_NATIVE_8X16_B4: move(rows, registers, BESIDE, count, true); break;
  case AGPU_NATIVE_16X16_B8:
  case AGPU_NATIVE_16X16_B6:
  case AGPU_NATIVE_16X16_B4:
    move(rows, registers, BELOW_4, 2 * count, true);
    break;
  case AGPU_NATIVE_16X8_B8: move(rows, registers, SQUARE, count, false); break;
  }
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    memcpy(lanes[lane], placed[lane], ROW_BYTES);
}
