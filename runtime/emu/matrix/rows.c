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

#include <string.h>

enum { ROW_BYTES = 16 };

/// Lane l holds the elements 2 * (l % 4) and the one behind it of row l / 4 of
/// each matrix; transposed, of column l / 4.
static void place_8x8(char *const *lanes, uint32_t count, uint32_t transposed,
                      int from_rows) {
  uint16_t all[4][8][8] = {0};
  uint16_t own[AGPU__EMU_LANES][8];
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    memcpy(own[lane], lanes[lane], ROW_BYTES);
  if (from_rows)
    memcpy(all, own, sizeof all);
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t e = 0; e < 2; ++e) {
        uint32_t row = lane / 4, column = lane % 4 * 2 + e;
        uint16_t *at = transposed ? &all[i][column][row] : &all[i][row][column];
        if (from_rows)
          own[lane][2 * i + e] = *at;
        else
          *at = own[lane][2 * i + e];
      }
  if (!from_rows)
    memcpy(own, all, sizeof own);
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    memcpy(lanes[lane], own[lane], ROW_BYTES);
}

void agpu__emu_rows(uint32_t mode, char *const *lanes) {
  place_8x8(lanes, AGPU_NATIVE_ROW_COUNT_OF(mode),
            AGPU_NATIVE_TRANSPOSED_OF(mode),
            AGPU_NATIVE_COLLECTIVE_OF(mode) == AGPU_NATIVE_FROM_ROWS);
}
