//===- register_tile.h - Sums of products in registers ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_REGISTER_TILE_H
#define ASYNC_GPU_LINALG_REGISTER_TILE_H

#include "gpu/linalg/contraction.h"

/// Elements of a vector, and vectors of sums, at most.
#define AGPU__REGISTER_TILE_WIDTH 16
#define AGPU__REGISTER_TILE_SUMS 12

/// How a CPU computes a sum of products.
typedef struct agpu__register_tile {
  const agpu__contraction *of;
  const agpu__linalg_op *op; ///< its op
  int right;                 ///< the operand with the columns
  int rows, vectors, width;
  int piece; ///< columns that are side by side in the result, all or none in it
  /// Those of a piece are side by side in the operand, too.
  bool right_is_wide;
  bool copies;            ///< columns, side by side
  int64_t depth, at_once; ///< of a copy; steps of the first inner loop in it
  int64_t block_rows, block_columns;
  bool rows_fit, columns_fit, depth_fits;
} agpu__register_tile;

/// Appends the kernel and its launch, as agpu__linalg_replace takes them.
void agpu__register_tile_print(const agpu__register_tile *self,
                               agpu__text *out);

/// Appends what makes %startI_K, what the sums of vector K of row I begin with,
/// and what stores %all0#..., what they end with. `sums` is the type of %sums,
/// memory for the tile, which is there where it has pieces less than a vector.
void agpu__register_tile_print_starts(const agpu__register_tile *self,
                                      const char *sums, agpu__text *out);
void agpu__register_tile_print_results(const agpu__register_tile *self,
                                       const char *sums, agpu__text *out);

#endif // ASYNC_GPU_LINALG_REGISTER_TILE_H
