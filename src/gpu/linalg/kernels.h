//===- kernels.h - Kernels for ops of linalg ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_KERNELS_H
#define ASYNC_GPU_LINALG_KERNELS_H

#include "gpu/linalg/linalg_op.h"
#include "lower/ir/combiners.h"

// Kernels have the shape that GPUs are fast with, or, `for_emu`, the emulated
// device, where one CPU runs all threads of a block. Both are right on both.

#define AGPU__DEVICE_EMU "emu"
#define AGPU__DEVICE_OPTION                                                    \
  {"device", AGPU_OPTION_WORD, "gpu|" AGPU__DEVICE_EMU,                        \
   "What kernels of linalg are shaped for: gpu, or emu for the emulated "      \
   "device, where one CPU runs all threads of a block. Both run on both."}

/// What an op has become, for remarks.
typedef struct agpu__linalg_kernel {
  bool made;
  const char *how;                 ///< "a thread for each element"
  int64_t tile_rows, tile_columns; ///< of a contraction
  int wide; ///< elements that it finishes at a time, as a vector; 0: one
} agpu__linalg_kernel;

/// A kernel with a thread for each iteration of the parallel loops, in which
/// reductions run in order. For every op.
MlirLogicalResult agpu__linalg_pointwise(const agpu__linalg_op *op,
                                         bool for_emu,
                                         agpu__linalg_kernel *out);

/// A kernel with a block for each iteration of the parallel loops, whose
/// threads share the reduction. `out->made` is false, and nothing has changed,
/// where it is no reduction by one op, or where the result is large enough for
/// a thread each.
MlirLogicalResult agpu__linalg_reduction(const agpu__linalg_op *op,
                                         bool for_emu,
                                         agpu__linalg_kernel *out);

#define AGPU__BLOCKS_OPTION                                                    \
  {"blocks", AGPU_OPTION_INT, "128",                                           \
   "How many blocks of a sum of products are enough to give each thread as "   \
   "many elements as it can have: as many as the GPU has multiprocessors, of " \
   "which the largest power of two is taken that is not above it."}

/// A kernel of tiles in workgroup memory for sums of products. `out->made` is
/// false, and nothing has changed, where the op is none, or where another kind
/// of kernel suits the emulated device better. `blocks` are enough to give each
/// thread as many elements as it can have.
MlirLogicalResult agpu__linalg_contraction(const agpu__linalg_op *op,
                                           bool for_emu, int64_t blocks,
                                           agpu__linalg_kernel *out);

/// True if `op` is such a sum, whose kernel has several elements of the result
/// as one vector.
bool agpu__linalg_is_contraction(const agpu__linalg_op *op, bool for_emu);

/// How the body of a reduction combines what it has with its term; NULL where
/// it does more.
const agpu__combiner *agpu__linalg_combiner(const agpu__linalg_op *op);

/// Appends the beginning of a launch of %grid blocks in one dimension, whose
/// threads are `x` by `y` (constants that are there), and its end. `memory` is
/// what stands after the threads, or "". Nothing runs where %grid is 0.
void agpu__linalg_print_launch(int64_t x, int64_t y, const char *memory,
                               agpu__text *out);
void agpu__linalg_print_launch_end(agpu__text *out);

#endif // ASYNC_GPU_LINALG_KERNELS_H
