//===- shard_convert.c - From layout to layout ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions that are to be split are sliced where the axes are free, which
// costs nothing; axes that move from one dimension to another are an
// all-to-all; what is left is gathered.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

MlirValue agpu__shard_build_slice(agpu__builder *at, const char *name,
                                  const agpu__values *operands,
                                  const int32_t *segments,
                                  intptr_t segment_count,
                                  const int64_t *offsets, const int64_t *sizes,
                                  intptr_t rank, MlirType type) {
  MlirContext context = at->context;
  int64_t strides[AGPU__SHARD_RANK];
  for (intptr_t i = 0; i < rank; ++i)
    strides[i] = 1;
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "static_offsets",
                  mlirDenseI64ArrayGet(context, rank, offsets)),
      agpu__named(context, "static_sizes",
                  mlirDenseI64ArrayGet(context, rank, sizes)),
      agpu__named(context, "static_strides",
                  mlirDenseI64ArrayGet(context, rank, strides)),
      agpu__named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, segment_count, segments))};
  return agpu__result(agpu__build_op(at, name, operands->data, operands->count,
                                     type, attributes, 4),
                      0);
}

MlirValue agpu__shard_slice(agpu__builder *at, MlirValue tensor, intptr_t dim,
                            agpu__block block, MlirType type) {
  int64_t offsets[AGPU__SHARD_RANK] = {0}, sizes[AGPU__SHARD_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, tensor);
  agpu__values_push(&operands, block.begin);
  offsets[dim] = mlirShapedTypeGetDynamicSize();
  for (intptr_t i = 0; i < rank; ++i) {
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
    if (!mlirShapedTypeIsDynamicDim(type, i))
      continue;
    MlirValue of[] = {tensor, {NULL}};
    if (i != dim)
      of[1] = agpu__index_constant(at, i);
    agpu__values_push(
        &operands, i == dim ? block.size
                            : agpu__build_value(at, "tensor.dim", of, 2,
                                                agpu__index_type(at->context)));
  }
  int32_t segments[] = {1, 1, (int32_t)operands.count - 2, 0};
  return agpu__shard_build_slice(at, "tensor.extract_slice", &operands,
                                 segments, 4, offsets, sizes, rank, type);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A value on its way.
typedef struct conversion {
  agpu__shard *shard;
  agpu__builder *at;
  MlirValue value;
  agpu__sharded of; ///< with the layout that the value has now
} conversion;

static MlirType current_type(const conversion *self) {
  return agpu__shard_local_type(self->shard, self->of.whole, &self->of.layout);
}

static void slice(conversion *self, intptr_t dim, agpu__axes axes) {
  agpu__block block =
      agpu__shard_block(self->shard, axes, agpu__sharded_size(&self->of, dim));
  self->of.layout.dims[dim] = axes;
  self->value =
      agpu__shard_slice(self->at, self->value, dim, block, current_type(self));
}

/// Slices what is whole and may be split at once.
static void slice_all(conversion *self, const agpu__layout *to) {
  const agpu__layout *now = &self->of.layout;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(self->of.whole); ++i)
    if (to->dims[i] && !now->dims[i] &&
        !agpu__axes_overlap(agpu__layout_axes(now), to->dims[i]))
      slice(self, i, to->dims[i]);
}

/// Gathers dimension `dim`; if `other` is no negative number, that is split
/// along the same axes instead.
static void gather(conversion *self, intptr_t dim, intptr_t other) {
  agpu__axes axes = self->of.layout.dims[dim];
  agpu__shard_size size = agpu__sharded_size(&self->of, dim);
  agpu__shard_split all = {size.known, size.known, 0, 0, 0};
  self->of.layout.dims[dim] = 0;
  MlirValue other_size = {NULL};
  if (other >= 0) {
    self->of.layout.dims[other] = axes;
    other_size = agpu__shard_block(self->shard, axes,
                                   agpu__sharded_size(&self->of, other))
                     .size;
  }
  self->value = agpu__shard_exchange(
      self->shard, self->at, self->value,
      other < 0 ? AGPU_MPI_ALL_GATHER : AGPU_MPI_ALL_TO_ALL, dim, &all, other,
      axes, current_type(self), size.number, other_size);
}

/// A tensor in that layout as the maker of `value`, which is uniform, makes
/// one; null: it is not.
static MlirValue make_anew(agpu__shard *self, agpu__builder *at,
                           MlirValue value, const agpu__sharded *known,
                           const agpu__layout *layout) {
  if (!agpu__shard_is_uniform(value))
    return (MlirValue){NULL};
  MlirOperation maker = agpu__maker_of(value);
  bool is_fill = agpu__op_is(maker, "linalg.fill");
  MlirType type = agpu__shard_local_type(self, known->whole, layout);
  AGPU__SCOPED(values) sizes = {0};
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i) {
    agpu__shard_size size = agpu__sharded_size(known, i);
    if (!mlirShapedTypeIsDynamicDim(type, i))
      continue;
    agpu__values_push(&sizes,
                      layout->dims[i]
                          ? agpu__shard_block(self, layout->dims[i], size).size
                          : size.number);
  }
  MlirValue made =
      agpu__build_value(at, "tensor.empty", sizes.data, sizes.count, type);
  if (!is_fill)
    return made;
  MlirOperation fill = mlirOperationClone(maker);
  mlirOperationSetOperand(fill, 1, made);
  mlirValueSetType(agpu__result(fill, 0), type);
  mlirBlockInsertOwnedOperationBefore(at->block, at->before, fill);
  return agpu__result(fill, 0);
}

/// The steps from the value's layout to another one.
static MlirValue convert(agpu__shard *self, agpu__builder *at, MlirValue value,
                         const agpu__layout *to) {
  conversion it = {self, at, value, *agpu__shard_value(self, value)};
  const agpu__axes *now = it.of.layout.dims;
  intptr_t rank = mlirShapedTypeGetRank(it.of.whole);
  slice_all(&it, to);
  for (intptr_t i = 0; i < rank; ++i)
    for (intptr_t k = 0; k < rank && now[i] && !to->dims[i]; ++k)
      if (to->dims[k] == now[i] && !now[k])
        gather(&it, i, k);
  for (intptr_t i = 0; i < rank; ++i)
    if (now[i] && now[i] != to->dims[i])
      gather(&it, i, -1);
  slice_all(&it, to);
  return it.value;
}

MlirValue agpu__shard_convert(agpu__shard *self, agpu__builder *at,
                              MlirValue value, const agpu__layout *to) {
  const agpu__sharded *known = agpu__shard_value(self, value);
  if (!known || agpu__layout_equal(&known->layout, to))
    return value;
  agpu__sharded of = *known;
  for (size_t i = 0; i < self->conversion_count; ++i) {
    const agpu__conversion *done = &self->conversions[i];
    if (mlirValueEqual(done->from, value) &&
        mlirBlockEqual(done->block, at->block) &&
        agpu__layout_equal(&done->layout, to))
      return done->to;
  }
  MlirValue made = make_anew(self, at, value, &of, to);
  if (mlirValueIsNull(made))
    made = convert(self, at, value, to);
  agpu__shard_set_like(self, made, &of, *to);
  self->conversions =
      agpu__grow(self->conversions, self->conversion_count,
                 &self->conversion_capacity, sizeof(*self->conversions));
  self->conversions[self->conversion_count++] =
      (agpu__conversion){value, made, at->block, *to};
  return made;
}
