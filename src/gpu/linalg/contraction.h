//===- contraction.h - Sums of products ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_CONTRACTION_H
#define ASYNC_GPU_LINALG_CONTRACTION_H

#include "gpu/linalg/kernels.h"

/// Threads of a block in each direction at most, and how deep a tile is at
/// least.
#define AGPU__CONTRACTION_SIDE 16

/// An op that adds up the products of its two inputs' elements: matrix products
/// and convolutions. Loops of the same kind are as one.
typedef struct agpu__contraction {
  const agpu__linalg_op *op;
  agpu__linalg_loops batch;               ///< index both inputs
  agpu__linalg_loops rows;                ///< index input `left` alone
  agpu__linalg_loops columns;             ///< index the other input alone
  agpu__linalg_loops inner;               ///< index no output
  int height, width;                      ///< threads of a block
  int row_count, column_count;            ///< elements of a thread
  int depth;                              ///< of a tile, along the inner loops
  bool rows_fit, columns_fit, inner_fits; ///< sizes are multiples of the tiles'
  /// The columns of a thread lie side by side in the result, all or none.
  bool is_wide;
  const char *multiply, *add, *zero; ///< ops, and what sums begin with
  const char *contract;   ///< behind the ops' operands: rounded once, or ""
  char *type;             ///< of the sums, as text
  MlirOperation casts[2]; ///< of the inputs; null: none
  int left;               ///< which input has the rows: 0 or 1
  /// Of the input with the rows, and of that with the columns: neighbours in
  /// memory are neighbours along the inner loops.
  bool inner_is_last[2];
} agpu__contraction;

/// Appends the kernel and its launch, as agpu__linalg_replace takes them.
void agpu__contraction_print(const agpu__contraction *of, agpu__text *out);

/// The same of a kernel for the emulated device, whose blocks have one thread,
/// and stores what it is. False, and nothing is appended, where a step of the
/// first inner loop alone is too much to copy.
bool agpu__contraction_in_registers(const agpu__contraction *of,
                                    agpu__linalg_kernel *out_kernel,
                                    agpu__text *out);

#endif // ASYNC_GPU_LINALG_CONTRACTION_H
