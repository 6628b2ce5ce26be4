//===- linalg.h - Kernels for ops of linalg -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces between the files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LINALG_LINALG_H
#define ASYNC_GPU_GPU_LINALG_LINALG_H

#include "lower/ir/ir.h"

#include "mlir-c/AffineMap.h"

//===----------------------------------------------------------------------===//
// What an op of linalg says
//
// A structured op of linalg on memrefs as numbers and text: its loops, where it
// reads and writes in each iteration, and the words of IR that say so.
//===----------------------------------------------------------------------===//

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
  /// Behind those of the op those of the ops that are fused (fused.c).
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

/// The loop that the operand's last subscript is; -1: it is none.
intptr_t agpu__linalg_last_loop(const agpu__linalg_operand *operand);

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

/// Appends %TO: whether %OF is below %LIMIT, as it is known to be where
/// `always`.
void agpu__linalg_print_bound(const char *to, const char *of, const char *limit,
                              bool always, agpu__text *out);

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

//===----------------------------------------------------------------------===//
// Kernels for ops of linalg
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Ops of linalg in the kernels of others
//===----------------------------------------------------------------------===//

/// Makes fills of copies of memory that has been filled with a number, and
/// moves fills to where that memory is used. Fails with a diagnostic.
MlirLogicalResult agpu__linalg_spread_fills(MlirOperation module);

/// Finds what may be part of the kernel of `op`, a reduction: fills and copies
/// of what its outputs begin with, and, if it has one output, an elementwise op
/// that alone reads that. `in_vectors`: the kernel has rows of results as
/// vectors. What stands in between is moved in front of `op`, if need be.
/// Adds them to `fused`.
void agpu__linalg_fuse(agpu__linalg_op *op, bool in_vectors, agpu__map *fused);

/// True if `op` is part of another's kernel.
bool agpu__linalg_is_fused(const agpu__map *fused, MlirOperation op);

/// What else is asked of ops that may be part of a kernel: if `memref` is made
/// by memref.alloc; if `op` touches no memory; if `source`, which is no view,
/// is memory that the function allocates or has from outside, so that two such
/// values are two memories, if one is allocated; if `op` writes each element of
/// one output without reading it.
bool agpu__linalg_is_allocated(MlirValue memref);
bool agpu__linalg_touches_nothing(MlirOperation op);
bool agpu__linalg_is_known(MlirValue source);
bool agpu__linalg_is_pointwise(MlirOperation op);

/// True if `op` puts elements of another memory, or a number, into all of
/// `memref`; then that is stored, with its map.
bool agpu__linalg_is_start(MlirOperation op, MlirValue memref,
                           MlirValue *out_value, MlirAffineMap *out_map);

/// Finds such an op for output `index` of `self`, notes it there and in
/// `fused`. False if there is none.
bool agpu__linalg_find_start(agpu__linalg_op *self, intptr_t index,
                             bool in_vectors, agpu__map *fused);

/// Appends %TO, what output `index` begins with at the iteration that there is:
/// `count` elements side by side, or, 0, one.
void agpu__linalg_print_start(const agpu__linalg_op *op, intptr_t index,
                              const char *to, int count, agpu__text *out);

/// Appends what stores %FROM, what output `index` ends with, or what is
/// computed of it.
void agpu__linalg_print_finish(const agpu__linalg_op *op, intptr_t index,
                               const char *from, int count, agpu__text *out);

/// Appends the declaration of the place of the body of op->finish, if there is
/// one.
void agpu__linalg_declare_finish(const agpu__linalg_op *op, int count,
                                 agpu__text *out);

/// Appends the type of `count` elements; of 0: of one, which is no vector.
void agpu__linalg_print_type(const char *element, int count, agpu__text *out);
char *agpu__linalg_type_text(const char *element, int count);

/// Appends the types of the elements of operands from `first` to `end`, with
/// commas between them.
void agpu__linalg_print_element_types(const agpu__linalg_op *op, intptr_t first,
                                      intptr_t end, int count, agpu__text *out);

/// Appends %TO, `count` elements of an operand that are neighbours along
/// `loop`, the same one where it is not indexed by that, or, 0, one.
void agpu__linalg_print_elements(const agpu__linalg_op *op, intptr_t operand,
                                 intptr_t loop, const char *to, int count,
                                 agpu__text *out);

/// True if the body of `op` is of ops that take and give numbers, or, with
/// `in_vectors`, vectors of them.
bool agpu__linalg_has_plain_body(MlirOperation op, bool in_vectors);

/// Builds such a body at `at`, of the operands of `call`, numbers or vectors.
MlirValue agpu__linalg_build_body(agpu__builder *at, MlirOperation op,
                                  MlirOperation call);

//===----------------------------------------------------------------------===//
// Sums of products in registers
//===----------------------------------------------------------------------===//

/// Elements of a vector, and vectors of sums, at most.
#define AGPU__REGISTER_TILE_WIDTH 16
#define AGPU__REGISTER_TILE_SUMS 12

/// How a CPU computes a sum of products.
typedef struct agpu__register_tile {
  const agpu__contraction *of;
  const agpu__linalg_op *op; ///< its op
  int right;                 ///< the operand with the columns
  int rows, vectors, width;
  const char *vector; ///< the type of a vector, as text
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

//===----------------------------------------------------------------------===//
// Ops of linalg over the same rows
//
// A softmax is the most of each row, the powers of what is below that, their
// sum, and a division; norms are alike. Such ops are one kernel, in which a row
// stays where it is until the last of them has read it.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// What kernels of rows are made of
//
// A kernel for ops over the same rows while it is printed: the ops of a phase,
// for numbers of a row and for its elements. All append to `out`.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Reductions of vectors
//===----------------------------------------------------------------------===//

/// Appends the kernel of a reduction by one op, `how`, whose terms are
/// neighbours in memory, and its launch, as agpu__linalg_replace takes them
/// then. False, and nothing is appended, where they are not.
bool agpu__linalg_vector_reduction(agpu__linalg_op *op,
                                   const agpu__linalg_loops *results,
                                   const agpu__linalg_loops *reductions,
                                   const agpu__combiner *how,
                                   const char *neutral, const char *type,
                                   agpu__text *out);

#endif // ASYNC_GPU_GPU_LINALG_LINALG_H
