//===- shard_halo.c - What windows reach into -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the ranks beside it have of a dimension goes around what a rank has
// itself, in new memory. That is padded memory, if it is to be padded. So what
// a rank has is copied once, beside the messages.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

MlirType agpu__shard_resized(MlirType type, intptr_t dim, int64_t size) {
  int64_t sizes[AGPU__SHARD_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    sizes[i] = i == dim ? size : mlirShapedTypeGetDimSize(type, i);
  return mlirRankedTensorTypeGet(
      rank, sizes, mlirShapedTypeGetElementType(type), mlirAttributeGetNull());
}

/// Where that is not known.
static MlirType resized(MlirType type, intptr_t dim) {
  return agpu__shard_resized(type, dim, mlirShapedTypeGetDynamicSize());
}

MlirValue agpu__shard_slice_some(agpu__builder *at, MlirValue tensor,
                                 intptr_t dim, agpu__block block) {
  int64_t size;
  if (agpu__known_number(block.size, &size) &&
      size == mlirShapedTypeGetDimSize(mlirValueGetType(tensor), dim))
    return tensor;
  return agpu__shard_slice(at, tensor, dim, block,
                           resized(mlirValueGetType(tensor), dim));
}

MlirValue agpu__shard_insert(agpu__builder *at, MlirValue piece, MlirValue into,
                             const MlirValue *indices) {
  MlirType type = mlirValueGetType(piece);
  int64_t offsets[AGPU__SHARD_RANK], sizes[AGPU__SHARD_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, piece);
  agpu__values_push(&operands, into);
  for (intptr_t i = 0; i < rank; ++i) {
    offsets[i] = mlirShapedTypeGetDynamicSize();
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
    agpu__values_push(&operands, indices[i]);
  }
  agpu__shard_push_sizes(at, piece, &operands);
  int32_t segments[] = {1, 1, (int32_t)rank,
                        (int32_t)((intptr_t)operands.count - 2 - rank), 0};
  return agpu__shard_build_slice(at, "tensor.insert_slice", &operands, segments,
                                 5, offsets, sizes, rank,
                                 mlirValueGetType(into));
}

//===----------------------------------------------------------------------===//
// Halos
//===----------------------------------------------------------------------===//

MlirValue agpu__shard_halo_get(agpu__shard *self, agpu__builder *at,
                               MlirValue part, intptr_t dim, agpu__axes axes,
                               const agpu__shard_split *split,
                               const agpu__shard_need *need,
                               agpu__shard_halo *out) {
  *out = agpu__shard_around(self, axes, split, need);
  out->dim = dim;
  out->tensor = agpu__shard_exchange(
      self, at, part, AGPU_MPI_UPDATE_HALO, dim, split, -1, axes,
      resized(mlirValueGetType(part), dim), out->size, (MlirValue){NULL});
  return agpu__shard_slice_some(at, part, dim, out->kept);
}

/// The tensor `into`, in which what is kept of a part begins at these indices,
/// with the halo around that.
static MlirValue surround(agpu__builder *at, const agpu__shard_halo *halo,
                          MlirValue into, MlirValue *indices) {
  intptr_t dim = halo->dim;
  MlirValue kept = indices[dim];
  agpu__block pieces[] = {{agpu__index_constant(at, 0), halo->before},
                          {halo->before, halo->after}};
  for (int i = 0; i < 2; ++i) {
    indices[dim] = i ? agpu__shard_add(at, kept, halo->kept.size)
                     : agpu__build_binary(at, "arith.subi", kept, halo->before);
    into = agpu__shard_insert(
        at, agpu__shard_slice_some(at, halo->tensor, dim, pieces[i]), into,
        indices);
  }
  return into;
}

MlirValue agpu__shard_halo_join(agpu__builder *at, MlirValue kept,
                                const agpu__shard_need *need,
                                const agpu__shard_halo *halo) {
  MlirType type = resized(mlirValueGetType(kept), halo->dim);
  AGPU__SCOPED(values) sizes = {0};
  MlirValue indices[AGPU__SHARD_RANK];
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    indices[i] = i == halo->dim ? halo->before : agpu__index_constant(at, 0);
    if (!mlirShapedTypeIsDynamicDim(type, i))
      continue;
    MlirValue of[] = {kept, indices[i]};
    if (i != halo->dim)
      of[1] = agpu__index_constant(at, i);
    agpu__values_push(&sizes,
                      i == halo->dim
                          ? need->block.size
                          : agpu__build_value(at, "tensor.dim", of, 2,
                                              agpu__index_type(at->context)));
  }
  MlirValue all =
      agpu__build_value(at, "tensor.empty", sizes.data, sizes.count, type);
  return surround(at, halo, agpu__shard_insert(at, kept, all, indices),
                  indices);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// A copy of the pad that pads `value`, with these numbers instead of its own
/// in some dimensions. `lows` gets where the value begins in it.
static MlirValue pad_part(agpu__builder *at, MlirOperation pad, MlirValue value,
                          const agpu__shard_need *needs, const bool *is_needed,
                          MlirValue *lows) {
  MlirContext context = at->context;
  MlirType type = mlirValueGetType(value);
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirType old = mlirValueGetType(agpu__result(pad, 0));
  int64_t fixed[2][AGPU__SHARD_RANK], sizes[AGPU__SHARD_RANK];
  static const char *const names[] = {"static_low", "static_high"};
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, value);
  int32_t segments[] = {1, 0, 0};
  intptr_t own = 1;
  for (int side = 0; side < 2; ++side) {
    MlirAttribute given = agpu__attr(pad, names[side]);
    for (intptr_t i = 0; i < rank; ++i) {
      fixed[side][i] = mlirDenseI64ArrayGetElement(given, i);
      bool is_own = mlirShapedTypeIsDynamicSize(fixed[side][i]);
      MlirValue number = {NULL};
      if (is_own)
        number = mlirOperationGetOperand(pad, own++);
      if (is_needed[i])
        number = side ? needs[i].high : needs[i].low;
      if (!side)
        lows[i] = mlirValueIsNull(number)
                      ? agpu__index_constant(at, fixed[side][i])
                      : number;
      if (mlirValueIsNull(number) ||
          agpu__known_number(number, &fixed[side][i]))
        continue;
      fixed[side][i] = mlirShapedTypeGetDynamicSize();
      agpu__values_push(&operands, number);
      ++segments[1 + side];
    }
  }
  for (intptr_t i = 0; i < rank; ++i) {
    bool is_same = !mlirShapedTypeIsDynamicSize(fixed[0][i]) &&
                   !mlirShapedTypeIsDynamicSize(fixed[1][i]) &&
                   !mlirShapedTypeIsDynamicDim(type, i);
    sizes[i] =
        is_same ? mlirShapedTypeGetDimSize(type, i) + fixed[0][i] + fixed[1][i]
        : is_needed[i] || mlirShapedTypeIsDynamicDim(type, i)
            ? mlirShapedTypeGetDynamicSize()
            : mlirShapedTypeGetDimSize(old, i);
  }
  MlirOperation made = mlirOperationClone(pad);
  mlirOperationSetOperands(made, (intptr_t)operands.count, operands.data);
  for (int side = 0; side < 2; ++side)
    agpu__set_attr(made, names[side],
                   mlirDenseI64ArrayGet(context, rank, fixed[side]));
  agpu__set_attr(made, "operandSegmentSizes",
                 mlirDenseI32ArrayGet(context, 3, segments));
  mlirValueSetType(agpu__result(made, 0),
                   mlirRankedTensorTypeGet(rank, sizes,
                                           mlirShapedTypeGetElementType(type),
                                           mlirAttributeGetNull()));
  mlirBlockInsertOwnedOperationBefore(at->block, at->before, made);
  return agpu__result(made, 0);
}

agpu__shard_padded agpu__shard_halo_pad(agpu__builder *at, MlirOperation pad,
                                        MlirValue kept, agpu__shard_need *needs,
                                        const bool *is_needed,
                                        const agpu__shard_halo *halo) {
  agpu__shard_padded padded = {.operand = -1, .halo = *halo};
  if (halo->dim >= 0) {
    needs[halo->dim].low = halo->low;
    needs[halo->dim].high = halo->high;
  }
  padded.tensor = pad_part(at, pad, kept, needs, is_needed, padded.indices);
  return padded;
}

MlirValue agpu__shard_surround(agpu__builder *at,
                               const agpu__shard_padded *padded) {
  MlirValue indices[AGPU__SHARD_RANK];
  memcpy(indices, padded->indices, sizeof indices);
  return padded->halo.dim < 0
             ? padded->tensor
             : surround(at, &padded->halo, padded->tensor, indices);
}
