//===- row_chain.h - Ops of linalg over the same rows -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax is the most of each row, the powers of what is below that, their
// sum, and a division; norms are alike. Such ops are one kernel, in which a row
// stays where it is until the last of them has read it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_ROW_CHAIN_H
#define ASYNC_GPU_LINALG_ROW_CHAIN_H

#include "gpu/linalg/fused.h"
#include "gpu/linalg/kernels.h"

/// Ops of a chain at most, elements of a row, and ops that are looked at in
/// front of a reduction.
enum { AGPU__ROW_OPS = 12, AGPU__ROW_ELEMENTS = 8192, AGPU__ROW_SEEN = 24 };

/// In maps of fused ops, of those that are no more.
enum { AGPU__ROW_GONE = 1 };

typedef enum agpu__row_kind {
  AGPU__ROW_NUMBER,    ///< computes one number for each row
  AGPU__ROW_POINTWISE, ///< computes each element of a row
  AGPU__ROW_REDUCTION, ///< combines a row's elements to one number
} agpu__row_kind;

typedef struct agpu__row_op {
  agpu__linalg_op op;
  agpu__row_kind kind;
  /// Of input i: the operand of the chain that it is, or, -1 - k, that it is
  /// what op k of the chain gives.
  intptr_t from[AGPU_LINALG_OPERANDS];
  const agpu__combiner *how; ///< of a reduction
  intptr_t start;            ///< of a reduction: the chain's operand
  intptr_t to; ///< the chain's operand that it is stored in; -1: none
  /// Reductions that have to be done before it, one after another.
  int phase;
} agpu__row_op;

typedef struct agpu__row_chain {
  /// Its loops are those over rows, then one along a row; its operands, of all
  /// ops, are by these loops.
  agpu__linalg_op whole;
  agpu__row_op *ops; ///< in their order
  intptr_t count;
} agpu__row_chain;

/// Finds the ops around all[index], a reduction, that are over the same rows,
/// and may all run where the first of them stands. `all` are the program's ops
/// in their order. `out->count` is 0 where there are less than two that are
/// worth it. Adds what they begin with to `fused`. The caller frees `out->ops`.
void agpu__linalg_find_rows(const agpu__linalg_op *all, size_t index,
                            bool for_emu, agpu__map *fused,
                            agpu__row_chain *out);

/// Replaces the ops of the chain by a kernel: a block for each row, whose
/// threads have some elements each, or, `for_emu`, a block of one thread for a
/// few rows, which has vectors of elements. Fails with a diagnostic.
MlirLogicalResult agpu__linalg_map_rows(const agpu__row_chain *chain,
                                        bool for_emu);

#endif // ASYNC_GPU_LINALG_ROW_CHAIN_H
