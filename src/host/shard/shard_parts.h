//===- shard_parts.h - What each rank computes -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Once the layout of each value is known, functions are rewritten.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_SHARD_PARTS_H
#define ASYNC_GPU_HOST_SHARD_PARTS_H

#include "host/shard/shard.h"

//===----------------------------------------------------------------------===//
// Parts (shard_blocks.c)
//===----------------------------------------------------------------------===//

/// Starts with a function.
void agpu__shard_begin_function(agpu__shard *self, MlirOperation function);

/// Checks, where ranks exchange anything, that all of them are given the same
/// numbers, and tensors of the same sizes.
void agpu__shard_check_arguments(agpu__shard *self, MlirOperation function);

/// In front of the function's own ops.
agpu__builder agpu__shard_at_start(agpu__shard *self);

/// The rank's block of a dimension of `size` that is split along `axes`.
agpu__block agpu__shard_block(agpu__shard *self, agpu__axes axes,
                              agpu__shard_size size);

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
// Calls (shard_messages.c, shard_exchange.c)
//===----------------------------------------------------------------------===//

/// Calls a new declaration that stands for the op `name` of the dialect agpu
/// with these numbers.
MlirValue agpu__shard_call(agpu__shard *self, agpu__builder *at,
                           const char *name, const int64_t *numbers,
                           size_t number_count, const MlirValue *operands,
                           size_t operand_count, MlirType result);

/// What the ranks have of the tensor `part`, split in `dim` along `axes`, that
/// this one needs, of a halo without its own; `type` is that of the result, and
/// `size` its size in `dim` where the type has none: that of the whole tensor,
/// if the split has none either. If `other` is no negative number, the result
/// is split there.
MlirValue agpu__shard_exchange(agpu__shard *self, agpu__builder *at,
                               MlirValue part, agpu_mpi_exchange_kind kind,
                               intptr_t dim, const agpu__shard_split *split,
                               intptr_t other, agpu__axes axes, MlirType type,
                               MlirValue size, MlirValue other_size);

/// The reduction of all ranks' tensors along `axes`.
MlirValue agpu__shard_all_reduce(agpu__shard *self, agpu__builder *at,
                                 MlirValue part, int reduction,
                                 agpu__axes axes);

/// The same as `call` does with another tensor, whose result has `type`, all
/// sizes of which are known. `takes_place`: that one goes away, and leaves it
/// its communicator.
MlirValue agpu__shard_call_like(agpu__shard *self, agpu__builder *at,
                                MlirOperation call, MlirValue part,
                                MlirType type, bool takes_place);

/// Of a reduction this rank's block of dimension `dim`, in front of which
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
// Messages in pieces (shard_pieces.c)
//===----------------------------------------------------------------------===//

/// Pieces that the option may ask for.
enum { AGPU__SHARD_MOST_PIECES = 64 };

/// Cuts what ranks do together in a function that has been rewritten, with what
/// is computed in front and behind.
void agpu__shard_cut(agpu__shard *self, MlirOperation function);

//===----------------------------------------------------------------------===//
// Ops (shard_rewrite.c, shard_linalg.c)
//===----------------------------------------------------------------------===//

/// Has each rank compute its part.
void agpu__shard_rewrite(agpu__shard *self, MlirOperation function);

/// True if the ops that use a tensor.pad pad their parts themselves.
bool agpu__shard_pads_parts(agpu__shard *self, MlirOperation pad);

/// The same of a structured op, which goes to `dead` if others take its place.
/// Others stay as they are.
void agpu__shard_rewrite_linalg(agpu__shard *self, MlirOperation op,
                                agpu__ops *dead);

#endif // ASYNC_GPU_HOST_SHARD_PARTS_H
