//===- linalg_op.h - What an op of linalg says --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op of linalg on memrefs as numbers and text: its loops, where it
// reads and writes in each iteration, and the words of IR that say so.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LINALG_LINALG_OP_H
#define ASYNC_GPU_LINALG_LINALG_OP_H

#include "lower/ir/ir.h"

#include "mlir-c/AffineMap.h"

/// More loops and operands than these are upstream's to lower. With operands of
/// fused ops there are more.
enum {
  AGPU_LINALG_LOOPS = 16,
  AGPU_LINALG_OPERANDS = 16,
  AGPU_LINALG_ALL_OPERANDS = 3 * AGPU_LINALG_OPERANDS
};

typedef struct agpu__linalg_operand {
  MlirValue value;
  MlirAffineMap map;
  bool is_memref; ///< else a scalar
} agpu__linalg_operand;

typedef struct agpu__linalg_op {
  MlirOperation op;
  intptr_t loop_count;
  int64_t sizes[AGPU_LINALG_LOOPS]; ///< negative: known when it runs
  /// Where the size of a loop is found: an operand and its dimension.
  intptr_t size_operand[AGPU_LINALG_LOOPS];
  intptr_t size_dimension[AGPU_LINALG_LOOPS];
  bool is_reduction[AGPU_LINALG_LOOPS]; ///< no output is indexed by the loop
  intptr_t operand_count, input_count;  ///< outputs stand after the inputs
  /// Behind those of the op those of the ops that are fused (fused.h).
  agpu__linalg_operand operands[AGPU_LINALG_ALL_OPERANDS];
  intptr_t all_count;
  MlirBlock body;
  /// Of output i: the operand that it begins with, -1 for itself, and the op
  /// that puts that there.
  intptr_t starts[AGPU_LINALG_OPERANDS];
  MlirOperation start_ops[AGPU_LINALG_OPERANDS];
  MlirOperation finish;  ///< of the one output, elementwise; null: none
  intptr_t finish_first; ///< its first operand
  /// What stands behind the name of the last loop, where it has several: %d2_5.
  char tag[16];
  /// Of a reduction that adds up vectors: their elements. Then its body, which
  /// is plain, has the places @terms and @term.
  int terms;
} agpu__linalg_op;

/// Reads `op`. False where it is none that a kernel can be made of: its
/// operands are not memrefs of the default memory space, or its loops cannot be
/// told from their shapes.
bool agpu__linalg_read(MlirOperation op, agpu__linalg_op *out);

/// True if a subscript of the operand depends on the loop.
bool agpu__linalg_is_indexed_by(const agpu__linalg_operand *operand,
                                intptr_t loop);

/// Bits of the operand's elements; of what is neither integer nor float, 64.
int agpu__linalg_element_bits(const agpu__linalg_operand *operand);

/// True if neighbours along the loop are neighbours in the operand's memory.
bool agpu__linalg_has_neighbours(const agpu__linalg_operand *operand,
                                 intptr_t loop);

/// Appends the sizes %n0, %n1, ... of the op's loops. Its operands are %m0, ...
void agpu__linalg_print_sizes(const agpu__linalg_op *op, agpu__text *out);

/// Loops of an op, by their numbers, in their order.
typedef struct agpu__linalg_loops {
  intptr_t data[AGPU_LINALG_LOOPS];
  size_t count;
} agpu__linalg_loops;

/// The product of their sizes; negative where one is not known.
int64_t agpu__linalg_product(const agpu__linalg_op *op,
                             const agpu__linalg_loops *loops);

/// Appends "%cN = arith.constant N : index" for 0, 1, and each of `count`
/// numbers.
void agpu__linalg_print_constants(const int64_t *numbers, size_t count,
                                  agpu__text *out);

/// Appends what makes %TO the number of iterations of `loops`.
void agpu__linalg_print_product(const char *to, const agpu__linalg_loops *loops,
                                agpu__text *out);

/// Appends what makes %d0, %d1, ... the iterations of `loops` of the number
/// %FROM, where the last loop is the fastest.
void agpu__linalg_print_split(const char *from, const agpu__linalg_loops *loops,
                              agpu__text *out);

/// Appends a load of operand `index` at the iteration %d0, %d1, ... to %TO, or
/// a store of %TO there.
void agpu__linalg_print_access(const agpu__linalg_op *op, intptr_t index,
                               const char *to, bool is_store, agpu__text *out);

/// The same of a vector of `count` elements from there on, side by side in
/// memory; 0: of the element alone.
void agpu__linalg_print_wide_access(const agpu__linalg_op *op, intptr_t index,
                                    const char *to, int count, bool is_store,
                                    agpu__text *out);

/// The type of an operand's elements, or its own, as text that the caller
/// frees.
char *agpu__linalg_element(const agpu__linalg_operand *operand);

/// Appends a place for the op's body: it takes %v0, ... for the operands and
/// %d0, ... for the loops, and gives %rI:COUNT, a value for each output.
void agpu__linalg_print_payload(const agpu__linalg_op *op, agpu__text *out);

/// Appends the types of such places, of `count` elements, or, 0, of one.
void agpu__linalg_print_term_types(const agpu__linalg_op *op, int count,
                                   agpu__text *out);

/// Replaces the op, and those that are fused with it, by `body`, the lines of a
/// function that takes %m0, ... and has a place for the op's body in it, or
/// none. `count` is that of the elements that it finishes at a time. Fails with
/// a diagnostic.
MlirLogicalResult agpu__linalg_replace(const agpu__linalg_op *op,
                                       const char *body, int count);

#endif // ASYNC_GPU_LINALG_LINALG_OP_H
