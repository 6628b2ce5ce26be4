//===- shard.h - A program on tensors that is split among ranks -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of a sharded function is a tensor of which each rank has a part, as
// its layout says. What its type was is kept: the pass changes types where
// values stand.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_SHARD_H
#define ASYNC_GPU_HOST_SHARD_H

#include "async_gpu/compiled/mpi.h"
#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Axes of a grid, and dimensions of a tensor that may be split.
enum { AGPU__GRID_AXES = 3, AGPU__SHARD_RANK = 12 };

/// Axes of the grid, the slowest first: the number of one and 1 in each 4 bits
/// from the lowest. 0: none.
typedef int64_t agpu__axes;

/// Along which axes each dimension is split. Zero-initialised: the tensor is
/// whole on each rank.
typedef struct agpu__layout {
  agpu__axes dims[AGPU__SHARD_RANK];
} agpu__layout;

bool agpu__layout_is_whole(const agpu__layout *layout);
bool agpu__layout_equal(const agpu__layout *a, const agpu__layout *b);

/// The axes of all dimensions.
agpu__axes agpu__layout_axes(const agpu__layout *layout);

/// True if `a` and `b` have an axis in common.
bool agpu__axes_overlap(agpu__axes a, agpu__axes b);

/// The axes of `a`, and behind them those of `b`.
agpu__axes agpu__axes_join(agpu__axes a, agpu__axes b);

/// "[0, 1]" into `buffer`, which is returned.
char *agpu__axes_print(agpu__axes axes, char buffer[16]);

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// The size of a dimension of a whole tensor: `known`, or a number of the
/// program where that is negative. That is null where nothing was found out.
typedef struct agpu__shard_size {
  int64_t known;
  MlirValue number;
} agpu__shard_size;

/// A value that is a ranked tensor.
typedef struct agpu__sharded {
  MlirType whole;                      ///< its type in the program
  MlirValue numbers[AGPU__SHARD_RANK]; ///< sizes that the type does not have
  agpu__layout layout;
  agpu__layout wanted; ///< by what uses it, where nothing else is known
} agpu__sharded;

/// Where a rank's part of a dimension begins, and how large it is.
typedef struct agpu__block {
  MlirValue begin, size;
} agpu__block;

/// The ranks along axes: this one's number, and how many there are.
typedef struct agpu__shard_group {
  agpu__axes axes;
  MlirValue comm, rank, count;
} agpu__shard_group;

typedef struct agpu__known_block {
  agpu__axes axes;
  agpu__shard_size size;
  agpu__block block;
} agpu__known_block;

/// A value that has been converted in a block.
typedef struct agpu__conversion {
  MlirValue from, to;
  MlirBlock block;
  agpu__layout layout;
} agpu__conversion;

/// Memory that holds the communicator of one call, and its axes.
typedef struct agpu__shard_site {
  char *symbol;
  agpu__axes axes;
  MlirLocation location;
} agpu__shard_site;

typedef struct agpu__shard {
  MlirOperation module;
  MlirContext context;
  MlirSymbolTable symbols; ///< while messages are cut
  bool remarks;
  const char *interior;          ///< the option
  int64_t pieces;                ///< the option; 0: as many as are worth it
  int64_t grid[AGPU__GRID_AXES]; ///< sizes; negative: not known, missing: 1
  MlirLocation grid_location;
  agpu__map numbers; ///< of values
  agpu__sharded *values;
  size_t count, capacity;
  agpu__shard_site *sites;
  size_t site_count, site_capacity;
  size_t call_count; ///< for names

  /// Of the function that is being rewritten: the first of its own ops, in
  /// front of which stands what the rest needs.
  MlirOperation start;
  agpu__shard_group *groups;
  size_t group_count, group_capacity;
  agpu__known_block *blocks;
  size_t block_count, block_capacity;
  agpu__conversion *conversions;
  size_t conversion_count, conversion_capacity;
} agpu__shard;

/// What is known of a value, which is added; NULL: it is no ranked tensor of a
/// rank that can be split. Valid until the next call.
agpu__sharded *agpu__shard_value(agpu__shard *self, MlirValue value);

/// True if the value's elements are all the same, or anything: it can be made
/// in any layout.
bool agpu__shard_is_uniform(MlirValue value);

/// The layout of any value: whole where nothing is known.
agpu__layout agpu__shard_layout(agpu__shard *self, MlirValue value);

/// The type that the value has in the program.
MlirType agpu__shard_whole_type(agpu__shard *self, MlirValue value);

/// The size of a dimension of a whole tensor.
agpu__shard_size agpu__sharded_size(const agpu__sharded *known, intptr_t dim);

/// True if `number` asks `value` for a size.
bool agpu__shard_is_asked(MlirValue number, MlirValue value);

/// Forgets all values: ops are gone, and others may stand in their memory.
void agpu__shard_forget_values(agpu__shard *self);

/// Says that `value` is the tensor `like` in that layout.
void agpu__shard_set_like(agpu__shard *self, MlirValue value,
                          const agpu__sharded *like, agpu__layout layout);

/// Says which layout a value has, without dimensions that cannot be split: the
/// number of which is found by looking at the value itself.
void agpu__shard_set_layout(agpu__shard *self, MlirValue value,
                            agpu__layout layout);

/// How many ranks there are along these axes; negative: it is not known.
int64_t agpu__shard_ranks(const agpu__shard *self, agpu__axes axes);

/// The type of a rank's part.
MlirType agpu__shard_local_type(const agpu__shard *self, MlirType whole,
                                const agpu__layout *layout);

//===----------------------------------------------------------------------===//
// What the program says (shard_annotations.c)
//===----------------------------------------------------------------------===//

/// Finds the module's grid. False after an error; `*out_found` is false where
/// there is none.
bool agpu__shard_find_grid(agpu__shard *self, bool *out_found);

/// Gives the axis of the grid whose size is not known the one that it has with
/// so many ranks; 0, or a number that does not fit: it is known at run time.
void agpu__shard_fill_grid(agpu__shard *self, int64_t ranks);

/// The layout that an op `shard.shard` asks for. False after an error.
bool agpu__shard_annotation(agpu__shard *self, MlirOperation op,
                            agpu__layout *out_layout);

/// Makes a grid of all ranks, and annotates arguments or results of functions
/// as `split` says: "batch" or "rows". False after an error.
bool agpu__shard_annotate(agpu__shard *self, const char *split);

//===----------------------------------------------------------------------===//
// Sizes that types do not have (shard_sizes.c)
//===----------------------------------------------------------------------===//

/// Finds the numbers of all values of the function, as it is in the program:
/// each is computed in front of the value, or asks a tensor that is whole.
void agpu__shard_find_sizes(agpu__shard *self, MlirOperation function);

/// The number that a tensor.dim gives in the program, for its users; null: it
/// gives that itself, and its operand has to be whole.
MlirValue agpu__shard_number_of(agpu__shard *self, MlirOperation dim_op);

//===----------------------------------------------------------------------===//
// Reshapes (shard_reshape.c)
//===----------------------------------------------------------------------===//

/// True if `op` gives a tensor other dimensions, and parts may be looked at.
bool agpu__shard_is_reshape(agpu__shard *self, MlirOperation op);

/// The layout that the operand has where the result has `layout` (`of_result`),
/// or the other way round, without what cannot be split on both sides.
agpu__layout agpu__shard_reshaped(agpu__shard *self, MlirOperation op,
                                  const agpu__layout *layout, bool of_result);

/// Dimensions that are one on the other side: from `begin`, up to `end`.
typedef struct agpu__shard_group_dims {
  intptr_t begin, end;
} agpu__shard_group_dims;

/// Those of the side with more dimensions that stand for dimension `dim` of the
/// other.
agpu__shard_group_dims agpu__shard_reshape_group(MlirOperation op,
                                                 intptr_t dim);

//===----------------------------------------------------------------------===//
// Loops of linalg ops (shard_loops.c)
//===----------------------------------------------------------------------===//

/// What an operand is indexed by in one dimension: `loop` * stride + `window` *
/// dilation - before. Without a window `window` is negative; `loop` is negative
/// where it is nothing of that form.
typedef struct agpu__subscript {
  int loop, window;
  int64_t stride, dilation, before;
} agpu__subscript;

enum { AGPU__SHARD_LOOPS = 16 };

/// A structured op: its loops, and along which axes each is split.
typedef struct agpu__shard_loops {
  MlirOperation op;
  MlirAttribute maps;
  int count;
  intptr_t inputs;                      ///< operands in front of the outputs
  int64_t sizes[AGPU__SHARD_LOOPS];     ///< negative: not known
  MlirValue numbers[AGPU__SHARD_LOOPS]; ///< then, as of agpu__shard_size
  bool is_parallel[AGPU__SHARD_LOOPS];
  agpu__axes axes[AGPU__SHARD_LOOPS];
  agpu__axes reduced; ///< along which results have to be added up
  intptr_t scattered; ///< the result's dimension that is split along these
                      ///< then, or negative: it is whole
  int reduction;      ///< agpu_mpi_reduction; negative: it cannot be split
} agpu__shard_loops;

/// Reads the op's loops. False if it has none that can be looked at.
bool agpu__shard_loops_read(agpu__shard *self, MlirOperation op,
                            agpu__shard_loops *out_loops);

/// Splits loops as operands are split, and, if `heeds_users`, first as results
/// are wanted.
void agpu__shard_loops_claim(agpu__shard *self, agpu__shard_loops *loops,
                             bool heeds_users);

/// Decides how loops are split, and whether a reduction is scattered
/// (shard_scatter.c).
void agpu__shard_loops_assign(agpu__shard *self, agpu__shard_loops *loops);

/// Notes on the op what was decided. It holds while operands are replaced,
/// until it is forgotten.
void agpu__shard_loops_keep(const agpu__shard_loops *loops);
void agpu__shard_loops_forget(MlirOperation op);

/// The op's loops, as they were kept. False if it has none.
bool agpu__shard_loops_kept(agpu__shard *self, MlirOperation op,
                            agpu__shard_loops *out_loops);

agpu__subscript agpu__shard_subscript(const agpu__shard_loops *loops,
                                      intptr_t operand, intptr_t dim);

/// How many dimensions of the operand are indexed.
intptr_t agpu__shard_subscript_count(const agpu__shard_loops *loops,
                                     intptr_t operand);

/// True if the dimension is indexed by the loop alone.
bool agpu__subscript_is_plain(const agpu__subscript *subscript);

/// The layout in which the op takes that operand, and computes it if it is an
/// output. Of dimensions with a window it says along which axes the loop is
/// split.
agpu__layout agpu__shard_operand_layout(const agpu__shard_loops *loops,
                                        intptr_t operand);

/// The layout of a result, once it has been reduced.
agpu__layout agpu__shard_result_layout(const agpu__shard_loops *loops,
                                       intptr_t result);

/// What a sum or product begins with, of that type; null: no attribute is it.
MlirAttribute agpu__shard_neutral(int reduction, MlirType element);

//===----------------------------------------------------------------------===//
// Layouts of all values (shard_infer.c)
//===----------------------------------------------------------------------===//

/// Decides the layout of each value of the function. False after an error.
bool agpu__shard_infer(agpu__shard *self, MlirOperation function);

#endif // ASYNC_GPU_HOST_SHARD_H
