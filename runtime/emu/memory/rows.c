//===- rows.c - Rows of bytes that are a pitch apart ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether rows overlap is asked for each row of the side that has fewer: in a
// plane of the other side, the last row that begins before its end is the only
// one that can reach it last.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/rows.h"

size_t agpu__emu_rows_span(const agpu__emu_rows *rows) {
  size_t of_rows, of_planes, span;
  if (__builtin_mul_overflow(rows->pitch, rows->height - 1, &of_rows) ||
      __builtin_mul_overflow(rows->plane, rows->depth - 1, &of_planes) ||
      __builtin_add_overflow(rows->width, of_rows, &span) ||
      __builtin_add_overflow(span, of_planes, &span))
    return SIZE_MAX;
  return span;
}

/// Whether a row of the plane that begins at `plane` has a byte of [from, to).
static bool plane_has(const agpu__emu_rows *rows, CUdeviceptr plane,
                      CUdeviceptr from, CUdeviceptr to) {
  if (to <= plane)
    return false;
  size_t y = rows->height > 1 ? (to - 1 - plane) / rows->pitch : 0;
  if (y >= rows->height)
    y = rows->height - 1;
  return plane + y * rows->pitch + rows->width > from;
}

static bool have(const agpu__emu_rows *rows, CUdeviceptr from, CUdeviceptr to) {
  if (to <= rows->at || from >= rows->at + agpu__emu_rows_span(rows))
    return false;
  for (size_t z = 0; z < rows->depth; ++z)
    if (plane_has(rows, agpu__emu_row_at(rows, 0, z), from, to))
      return true;
  return false;
}

bool agpu__emu_rows_overlap(const agpu__emu_rows *a, const agpu__emu_rows *b) {
  const agpu__emu_rows *few = a, *many = b;
  if (a->height * a->depth > b->height * b->depth) {
    few = b;
    many = a;
  }
  for (size_t z = 0; z < few->depth; ++z)
    for (size_t y = 0; y < few->height; ++y) {
      CUdeviceptr from = agpu__emu_row_at(few, y, z);
      if (have(many, from, from + few->width))
        return true;
    }
  return false;
}
