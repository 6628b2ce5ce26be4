//===- rows.h - Rows of bytes that are a pitch apart ------------- -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MEMORY_ROWS_H
#define ASYNC_GPU_RUNTIME_EMU_MEMORY_ROWS_H

#include "driver_api/functions.h"

#include <stdbool.h>

/// What a copy or a fill touches on one side: `depth` planes of `height` rows
/// of `width` bytes. None of the three is 0. Rows do not overlap, nor do
/// planes.
typedef struct agpu__emu_rows {
  CUdeviceptr at;
  size_t width, height, depth;
  size_t pitch, plane; ///< bytes from row to row, from plane to plane
} agpu__emu_rows;

static inline agpu__emu_rows agpu__emu_rows_of(CUdeviceptr at, size_t bytes) {
  return (agpu__emu_rows){
      .at = at, .width = bytes, .height = 1, .depth = 1, .pitch = bytes};
}

static inline CUdeviceptr agpu__emu_row_at(const agpu__emu_rows *rows, size_t y,
                                           size_t z) {
  return rows->at + z * rows->plane + y * rows->pitch;
}

/// How many bytes that are.
static inline double agpu__emu_rows_bytes(const agpu__emu_rows *rows) {
  return (double)rows->width * (double)rows->height * (double)rows->depth;
}

/// Bytes from the first to the last one; SIZE_MAX where that is no number.
size_t agpu__emu_rows_span(const agpu__emu_rows *rows);

/// Whether the two have a byte in common. Both have spans.
bool agpu__emu_rows_overlap(const agpu__emu_rows *a, const agpu__emu_rows *b);

#endif // ASYNC_GPU_RUNTIME_EMU_MEMORY_ROWS_H
