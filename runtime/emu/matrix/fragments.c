//===- fragments.c - Matrices and the registers of lanes ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Matrix Fragments for mma". Copies registers as they are: what the
// elements are is known to product.c.
//
//===----------------------------------------------------------------------===//

#include "emu/matrix/fragments.h"

#include <string.h>

/// Copies between each lane's registers and the matrix, one cell at a time.
static inline __attribute__((always_inline)) void
move(char *const *lanes, size_t offset, char *matrix, uint32_t rows,
     uint32_t cells, size_t width, int gather) {
  uint32_t high = rows / 16, registers = rows * cells / AGPU__EMU_LANES;
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane) {
    char *own = lanes[lane] + offset;
    char *first = matrix + (size_t)(lane / 4 * cells + lane % 4) * width;
    for (uint32_t r = 0; r < registers; ++r) {
      uint32_t row = (r & high) * 8, cell = (r >> high) * 4;
      char *at = first + (size_t)(row * cells + cell) * width;
      if (gather)
        memcpy(at, own + r * width, width);
      else
        memcpy(own + r * width, at, width);
    }
  }
}

/// Sizes that are constants where they are inlined: all of the most common
/// shapes, else the width alone.
static inline __attribute__((always_inline)) void
move_any(char *const *lanes, const agpu__emu_fragment *fragment, char *matrix,
         int gather) {
  size_t offset = fragment->offset;
  uint32_t rows = fragment->rows, cells = fragment->cells;
  if (fragment->width == 4 && rows == 16 && cells == 8)
    move(lanes, offset, matrix, 16, 8, 4, gather);
  else if (fragment->width == 4 && rows == 8 && cells == 8)
    move(lanes, offset, matrix, 8, 8, 4, gather);
  else if (fragment->width == 8 && rows == 16 && cells == 4)
    move(lanes, offset, matrix, 16, 4, 8, gather);
  else if (fragment->width == 4)
    move(lanes, offset, matrix, rows, cells, 4, gather);
  else if (fragment->width == 8)
    move(lanes, offset, matrix, rows, cells, 8, gather);
  else
    move(lanes, offset, matrix, rows, cells, 16, gather);
}

void agpu__emu_gather(char *const *lanes, const agpu__emu_fragment *fragment,
                      void *out_matrix) {
  move_any(lanes, fragment, out_matrix, 1);
}

void agpu__emu_scatter(char *const *lanes, const agpu__emu_fragment *fragment,
                       const void *matrix) {
  move_any(lanes, fragment, (char *)matrix, 0);
}

void agpu__emu_join(char *const *lanes, size_t offset, size_t bytes,
                    void *out_matrix) {
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    memcpy((char *)out_matrix + lane * bytes, lanes[lane] + offset, bytes);
}

void agpu__emu_split(char *const *lanes, size_t offset, size_t bytes,
                     const void *matrix) {
  for (uint32_t lane = 0; lane < AGPU__EMU_LANES; ++lane)
    memcpy(lanes[lane] + offset, (const char *)matrix + lane * bytes, bytes);
}
