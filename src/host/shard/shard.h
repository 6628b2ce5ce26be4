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
#include "lower/ir/map.h"

#include "mlir-c/Support.h"

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

/// A value that is a ranked tensor.
typedef struct agpu__sharded {
  MlirType whole; ///< its type in the program
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
  int64_t size;
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
  MlirSymbolTable symbols; ///< while reductions are cut
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

/// The layout of any value: whole where nothing is known.
agpu__layout agpu__shard_layout(agpu__shard *self, MlirValue value);

/// The type that the value has in the program.
MlirType agpu__shard_whole_type(agpu__shard *self, MlirValue value);

/// Says which layout a value has, without dimensions whose size is not known.
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

/// The layout that an op `shard.shard` asks for. False after an error.
bool agpu__shard_annotation(agpu__shard *self, MlirOperation op,
                            agpu__layout *out_layout);

/// Makes a grid of all ranks, and annotates arguments or results of functions
/// as `split` says: "batch" or "rows". False after an error.
bool agpu__shard_annotate(agpu__shard *self, const char *split);

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
  intptr_t inputs;                  ///< operands in front of the outputs
  int64_t sizes[AGPU__SHARD_LOOPS]; ///< negative: not known
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

//===----------------------------------------------------------------------===//
// Parts (shard_blocks.c)
//===----------------------------------------------------------------------===//

/// Starts with a function.
void agpu__shard_begin_function(agpu__shard *self, MlirOperation function);

/// Checks, where ranks exchange anything, that all of them are given the same
/// numbers, and tensors of the same sizes.
void agpu__shard_check_arguments(agpu__shard *self, MlirOperation function);

/// The rank's block of a dimension of `size` that is split along `axes`.
agpu__block agpu__shard_block(agpu__shard *self, agpu__axes axes, int64_t size);

/// A split as exchange.c has it, and what this rank needs by it: that part of
/// the dimension, and how many indices before and after it are outside.
typedef struct agpu__shard_split {
  int64_t size, parts, stride, before, after;
} agpu__shard_split;
typedef struct agpu__shard_need {
  agpu__block block;
  MlirValue low, high;
} agpu__shard_need;

agpu__shard_need agpu__shard_needed(agpu__shard *self, agpu__axes axes,
                                    const agpu__shard_split *split);

/// What windows reach into beside a rank's own part, along one dimension.
typedef struct agpu__shard_halo {
  intptr_t dim;            ///< negative: there is none
  MlirValue tensor;        ///< of all that comes, in order
  MlirValue size;          ///< of that, in `dim`
  MlirValue before, after; ///< how much of it goes on either side
  agpu__block kept;        ///< what the rank needs of its own part
  MlirValue low, high;     ///< as of the need, and `before` and `after`
} agpu__shard_halo;

/// The numbers of a halo.
agpu__shard_halo agpu__shard_around(agpu__shard *self, agpu__axes axes,
                                    const agpu__shard_split *split,
                                    const agpu__shard_need *need);

/// New memory for the communicator of one call.
MlirValue agpu__shard_site_memory(agpu__shard *self, agpu__builder *at,
                                  agpu__axes axes);

/// Another along the same axes as that one.
MlirValue agpu__shard_site_like(agpu__shard *self, agpu__builder *at,
                                MlirValue site);

/// Opens all sites at the start of each function that is called from outside.
void agpu__shard_open_sites(agpu__shard *self);

/// The ranks along axes, of which this function knows the numbers.
agpu__shard_group agpu__shard_group_of(agpu__shard *self, agpu__axes axes);

MlirValue agpu__shard_add(agpu__builder *at, MlirValue a, MlirValue b);

//===----------------------------------------------------------------------===//
// Calls (shard_calls.c, shard_exchange.c)
//===----------------------------------------------------------------------===//

/// Calls a new declaration that stands for the op `name` of the dialect agpu
/// with these numbers.
MlirValue agpu__shard_call(agpu__shard *self, agpu__builder *at,
                           const char *name, const int64_t *numbers,
                           size_t number_count, const MlirValue *operands,
                           size_t operand_count, MlirType result);

/// What the ranks have of the tensor `part`, split in `dim` along `axes`, that
/// this one needs, of a halo without its own; `type` is that of the result. If
/// `other` is no negative number, the result is split there.
MlirValue agpu__shard_exchange(agpu__shard *self, agpu__builder *at,
                               MlirValue part, agpu_mpi_exchange_kind kind,
                               intptr_t dim, const agpu__shard_split *split,
                               intptr_t other, agpu__axes axes, MlirType type,
                               MlirValue size, MlirValue other_size);

/// The reduction of all ranks' tensors along `axes`.
MlirValue agpu__shard_all_reduce(agpu__shard *self, agpu__builder *at,
                                 MlirValue part, int reduction,
                                 agpu__axes axes);

/// The same reduction as `call` is, of another tensor. `takes_place`: that one
/// goes away, and leaves it its communicator.
MlirValue agpu__shard_sum_like(agpu__shard *self, agpu__builder *at,
                               MlirOperation call, MlirValue part,
                               bool takes_place);

/// Of that reduction this rank's block of dimension `dim`, in front of which
/// all are of size 1; `type` is that of the result, and `size` the block's.
MlirValue agpu__shard_reduce_scatter(agpu__shard *self, agpu__builder *at,
                                     MlirValue part, int reduction,
                                     intptr_t dim, agpu__axes axes,
                                     MlirType type, MlirValue size);

//===----------------------------------------------------------------------===//
// From layout to layout (shard_convert.c)
//===----------------------------------------------------------------------===//

/// The value, a tensor, in that layout.
MlirValue agpu__shard_convert(agpu__shard *self, agpu__builder *at,
                              MlirValue value, const agpu__layout *to);

/// A slice op of tensors, with steps of 1.
MlirValue agpu__shard_build_slice(agpu__builder *at, const char *name,
                                  const agpu__values *operands,
                                  const int32_t *segments,
                                  intptr_t segment_count,
                                  const int64_t *offsets, const int64_t *sizes,
                                  intptr_t rank, MlirType type);

/// The part of one dimension; `type` is the result's.
MlirValue agpu__shard_slice(agpu__builder *at, MlirValue tensor, intptr_t dim,
                            agpu__block block, MlirType type);

/// Sizes of a tensor that its type does not have, in front of others in
/// `out_sizes`.
void agpu__shard_push_sizes(agpu__builder *at, MlirValue tensor,
                            agpu__values *out_sizes);

//===----------------------------------------------------------------------===//
// Windows (shard_halo.c)
//===----------------------------------------------------------------------===//

/// A block of one dimension, of a type whose size there is not known.
MlirValue agpu__shard_slice_some(agpu__builder *at, MlirValue tensor,
                                 intptr_t dim, agpu__block block);

/// Gets the halo of a part, and returns what is kept of the part.
MlirValue agpu__shard_halo_get(agpu__shard *self, agpu__builder *at,
                               MlirValue part, intptr_t dim, agpu__axes axes,
                               const agpu__shard_split *split,
                               const agpu__shard_need *need,
                               agpu__shard_halo *out);

/// New memory with what is kept, and the halo around it.
MlirValue agpu__shard_halo_join(agpu__builder *at, MlirValue kept,
                                const agpu__shard_need *need,
                                const agpu__shard_halo *halo);

/// A part that is padded, without its halo.
typedef struct agpu__shard_padded {
  intptr_t operand; ///< of a structured op; negative: there is none
  MlirValue tensor;
  MlirValue indices[AGPU__SHARD_RANK]; ///< where the part begins in it
  agpu__shard_halo halo;
  int64_t before, after; ///< indices that windows reach beyond the part, of
                         ///< each rank
} agpu__shard_padded;

/// Pads what is kept, as `pad` does in dimensions that are not needed, and as
/// needs say in others; there may be no halo.
agpu__shard_padded agpu__shard_halo_pad(agpu__builder *at, MlirOperation pad,
                                        MlirValue kept, agpu__shard_need *needs,
                                        const bool *is_needed,
                                        const agpu__shard_halo *halo);

/// The padded part with its halo around it.
MlirValue agpu__shard_surround(agpu__builder *at,
                               const agpu__shard_padded *padded);

/// The type with that size in one dimension.
MlirType agpu__shard_resized(MlirType type, intptr_t dim, int64_t size);

/// The tensor `into` with `piece` at these indices.
MlirValue agpu__shard_insert(agpu__builder *at, MlirValue piece, MlirValue into,
                             const MlirValue *indices);

//===----------------------------------------------------------------------===//
// Interiors (shard_interior.c)
//===----------------------------------------------------------------------===//

/// True if the op can be computed in pieces, and that is worth it: what does
/// not need the halo of this dimension of its operand, and what does.
bool agpu__shard_can_part(const agpu__shard *self,
                          const agpu__shard_loops *loops, intptr_t operand,
                          intptr_t dim, const agpu__shard_split *split);

/// Iterations on a rank that hide more of a message than two kernels more take:
/// some ten microseconds of a GPU, and milliseconds of a CPU.
enum { AGPU__SHARD_WORTH_ITERATIONS = 1 << 24 };

/// True if the op's body uses the number of that loop's iteration.
bool agpu__shard_uses_index(MlirOperation op, int loop);

/// The part of dimension `dim`, from `begin` on.
MlirValue agpu__shard_take(agpu__builder *at, MlirValue tensor, intptr_t dim,
                           int64_t begin, int64_t size);

/// The tensor that pieces of a result are put into, which begins as `begin`
/// says: where that is a fill, `*out_fill`, each piece has one of its own,
/// which kernels begin with.
MlirValue agpu__shard_target_of(MlirValue begin, MlirOperation *out_fill);

/// `tensor`, filled with what `fill` fills its own with.
MlirValue agpu__shard_fill_like(agpu__builder *at, MlirOperation fill,
                                MlirValue tensor);

/// Does that. The op has its other operands, and has no users then.
void agpu__shard_part(agpu__shard *self, agpu__builder *at,
                      const agpu__shard_loops *loops,
                      agpu__shard_padded *padded);

//===----------------------------------------------------------------------===//
// Reductions in pieces (shard_pieces.c)
//===----------------------------------------------------------------------===//

/// Cuts reductions of a function that has been rewritten, with what is computed
/// in front of them and behind.
void agpu__shard_cut(agpu__shard *self, MlirOperation function);

//===----------------------------------------------------------------------===//
// Ops (shard_rewrite.c, shard_linalg.c)
//===----------------------------------------------------------------------===//

/// Has each rank compute its part.
void agpu__shard_rewrite(agpu__shard *self, MlirOperation function);

/// True if the ops that use a tensor.pad pad their parts themselves.
bool agpu__shard_pads_parts(agpu__shard *self, MlirOperation pad);

/// The same of a structured op, which goes to `dead` if others take its place.
/// False if it is none.
bool agpu__shard_rewrite_linalg(agpu__shard *self, MlirOperation op,
                                agpu__ops *dead);

#endif // ASYNC_GPU_HOST_SHARD_H
