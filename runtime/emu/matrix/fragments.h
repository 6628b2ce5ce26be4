//===- fragments.h - Matrices and the registers of lanes -------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between what the lanes of a warp hold and matrices whose rows lie one after
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MATRIX_FRAGMENTS_H
#define ASYNC_GPU_RUNTIME_EMU_MATRIX_FRAGMENTS_H

#include <stddef.h>
#include <stdint.h>

#define AGPU__EMU_LANES 32u

/// Where a matrix lies in the registers of each lane, and how. All of the
/// shapes of mma.sync are one: cells of `width` bytes, `cells` to a row. Lane l
/// has those of row l / 4 in columns l % 4, l % 4 + 4 and so on, and of 16 rows
/// each time that of row l / 4 + 8 after it. A cell is a register of A; of B,
/// whose columns are the rows here; and two neighbours of C and D.
typedef struct agpu__emu_fragment {
  size_t offset; ///< bytes of the lane's registers in front of it
  uint32_t rows, cells, width;
} agpu__emu_fragment;

/// Bytes of each lane.
static inline size_t
agpu__emu_fragment_bytes(const agpu__emu_fragment *fragment) {
  return (size_t)fragment->rows * fragment->cells * fragment->width /
         AGPU__EMU_LANES;
}

void agpu__emu_gather(char *const *lanes, const agpu__emu_fragment *fragment,
                      void *out_matrix);
void agpu__emu_scatter(char *const *lanes, const agpu__emu_fragment *fragment,
                       const void *matrix);

/// The same where lane after lane holds the next `bytes` of the matrix (wmma).
void agpu__emu_join(char *const *lanes, size_t offset, size_t bytes,
                    void *out_matrix);
void agpu__emu_split(char *const *lanes, size_t offset, size_t bytes,
                     const void *matrix);

#endif // ASYNC_GPU_RUNTIME_EMU_MATRIX_FRAGMENTS_H
