//===- rows.h - Copies and fills of rows --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that are a pitch apart, by one call where the driver has one for them,
// and row by row where it has none. Any thread; the context is current.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DRIVER_ROWS_H
#define ASYNC_GPU_RUNTIME_GPU_DRIVER_ROWS_H

#include "gpu/driver/driver.h"

/// CU_DEVICE_ATTRIBUTE_MAX_PITCH of all devices there have been. A driver that
/// allows less refuses a copy, which then goes row by row.
#define AGPU__MAX_PITCH INT32_MAX

/// A box of bytes: `depth` planes of `height` rows of `width`; none is 0. A
/// side's rows are its pitch apart, and its planes its height times that.
typedef struct agpu__box {
  CUdeviceptr target, source;
  size_t width, height, depth;
  size_t target_pitch, target_height, source_pitch, source_height;
} agpu__box;

/// One row.
static inline agpu__box agpu__box_of(CUdeviceptr target, CUdeviceptr source,
                                     size_t bytes) {
  return (agpu__box){target, source, bytes, 1, 1, bytes, 1, bytes, 1};
}

static inline bool agpu__box_is_row(const agpu__box *box) {
  return box->height == 1 && box->depth == 1;
}

/// As the driver takes it.
CUDA_MEMCPY3D agpu__box_describe(const agpu__box *box);

CUresult agpu__box_copy(const agpu__driver *driver, const agpu__box *box,
                        CUstream stream);

/// `fill->elementSize` is 1, 2 or 4; `fill->width` and `fill->height` not 0.
CUresult agpu__rows_fill(const agpu__driver *driver,
                         const CUDA_MEMSET_NODE_PARAMS *fill, CUstream stream);

#endif // ASYNC_GPU_RUNTIME_GPU_DRIVER_ROWS_H
