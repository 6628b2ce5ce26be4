//===- row_kernel.h - What kernels of rows are made of --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for ops over the same rows while it is printed: the ops of a phase,
// for numbers of a row and for its elements. All append to `out`.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_ROW_KERNEL_H
#define ASYNC_GPU_LINALG_ROW_KERNEL_H

#include "gpu/linalg/row_chain.h"

typedef struct agpu__row_kernel {
  const agpu__row_chain *chain;
  agpu__linalg_op whole; ///< the chain's, with the tag of what is printed
  int column;
  int64_t row; ///< elements
  bool for_emu;
  int threads, own; ///< of a block; elements of each
  int wide;         ///< elements of a vector
  /// What has been loaded, by operands, for the row, and for the elements.
  bool has_number[AGPU_LINALG_ALL_OPERANDS];
  bool has_elements[AGPU_LINALG_ALL_OPERANDS];
  agpu__text *out;
} agpu__row_kernel;

/// The type of what op `op` gives, as text that the caller frees.
char *agpu__row_result_type(const agpu__row_kernel *self, intptr_t op);

/// The types of a call of the op's body, of numbers or of vectors, to `out`.
void agpu__row_print_types(const agpu__row_kernel *self, intptr_t op, int count,
                           agpu__text *out);

/// True if what op `op` gives is in a buffer, for a later loop.
bool agpu__row_has_buffer(const agpu__row_kernel *self, intptr_t op);

/// True if not all threads have a copy of this number in the row.
bool agpu__row_is_guarded(const agpu__row_kernel *self, int copy);

/// The reductions of a phase, in their order; their number.
int agpu__row_find_reductions(const agpu__row_kernel *self, int phase,
                              intptr_t out[AGPU__ROW_OPS]);

/// Loads what the op reads of rows alone.
void agpu__row_load_numbers(agpu__row_kernel *self, intptr_t op);

/// Computes, and stores, what an op gives for a row.
void agpu__row_print_number(agpu__row_kernel *self, intptr_t op);

/// Loads and computes the elements of a phase, `count` at a time or, 0, one by
/// one. A reduction goes on from %sN, N its number, to %sN_0 and so on.
void agpu__row_print_elements(agpu__row_kernel *self, int phase, int count);

/// Makes %eN, what the row has of a reduction, of %totalN.
void agpu__row_print_end(agpu__row_kernel *self, intptr_t op);

#endif // ASYNC_GPU_LINALG_ROW_KERNEL_H
