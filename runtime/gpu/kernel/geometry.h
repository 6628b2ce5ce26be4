//===- geometry.h - The shape of a launch -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_KERNEL_GEOMETRY_H
#define ASYNC_GPU_RUNTIME_GPU_KERNEL_GEOMETRY_H

#include "gpu/driver/driver.h"

#include <stdbool.h>

/// Sizes along x, y and z: a cluster and the grid in blocks, a block in
/// threads. Programs compute them; they may be any number.
typedef struct agpu__geometry {
  int64_t cluster[3]; ///< all 1: no clusters
  int64_t grid[3];
  int64_t block[3];
  int64_t shared_bytes; ///< dynamic shared memory
} agpu__geometry;

/// True if the driver's types hold all sizes.
bool agpu__geometry_fits(const agpu__geometry *geometry);

/// True for a grid of no blocks, which drivers refuse and programs compute for
/// an empty range.
bool agpu__geometry_is_empty(const agpu__geometry *geometry);

/// Text for a message: "grid 1x1x1, block 32x1x1 and 0 bytes of shared memory".
typedef struct agpu__geometry_text {
  char text[256];
} agpu__geometry_text;
agpu__geometry_text agpu__geometry_print(const agpu__geometry *geometry);

/// Launches `function` on `stream`, by cuLaunchKernel or, in clusters, by
/// cuLaunchKernelEx. The geometry fits. CUDA_ERROR_NOT_SUPPORTED where the
/// driver knows no clusters.
CUresult agpu__geometry_launch(const agpu__geometry *geometry,
                               const agpu__driver *driver, CUfunction function,
                               CUstream stream, void **params, void **extra);

#endif // ASYNC_GPU_RUNTIME_GPU_KERNEL_GEOMETRY_H
