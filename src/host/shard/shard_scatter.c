//===- shard_scatter.c - Whether a reduction is scattered -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A user may want the result of a reduction split along the axes that what is
// reduced is split along. Either operands move, so that each rank reduces for
// its part of the result, or each rank gets its part of what all have reduced:
// a reduce-scatter. What moves fewer elements is done. Counted are those that a
// rank receives; all are (n - 1) / n of what is counted here, of n ranks.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard.h"

/// An axis of which it is not known how many ranks it has counts as this many:
/// more ranks have fewer elements each.
enum { LEAST_RANKS = 2 };

static int64_t ranks_along(const agpu__shard *self, agpu__axes axes) {
  int64_t ranks = agpu__shard_ranks(self, axes);
  return ranks > 0 ? ranks : LEAST_RANKS;
}

/// Elements of a part; negative: it is not known.
static int64_t count_elements(const agpu__shard *self, MlirType whole,
                              const agpu__layout *layout) {
  int64_t count = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(whole); ++i) {
    if (mlirShapedTypeIsDynamicDim(whole, i))
      return -1;
    int64_t ranks = ranks_along(self, layout->dims[i]);
    count *= (mlirShapedTypeGetDimSize(whole, i) + ranks - 1) / ranks;
  }
  return count;
}

/// Elements that come to a rank as agpu__shard_convert goes about it; negative:
/// it is not known.
static int64_t count_moved(const agpu__shard *self, MlirType whole,
                           agpu__layout from, const agpu__layout *to) {
  intptr_t rank = mlirShapedTypeGetRank(whole);
  int64_t moved = 0;
  for (intptr_t i = 0; i < rank; ++i) {
    agpu__axes axes = from.dims[i];
    if (!axes || axes == to->dims[i])
      continue;
    from.dims[i] = 0;
    for (intptr_t k = 0; k < rank; ++k)
      if (to->dims[k] == axes && !from.dims[k]) {
        from.dims[k] = axes;
        break;
      }
    int64_t count = count_elements(self, whole, &from);
    if (count < 0)
      return -1;
    moved += count;
  }
  return moved;
}

/// How many elements come to a rank for the op; INT64_MAX: it is not known.
static int64_t count_for_op(agpu__shard *self, const agpu__shard_loops *loops) {
  int64_t moved = 0;
  for (intptr_t k = 0; k < loops->inputs; ++k) {
    MlirValue operand = mlirOperationGetOperand(loops->op, k);
    if (!mlirTypeIsARankedTensor(mlirValueGetType(operand)))
      continue;
    agpu__layout to = agpu__shard_operand_layout(loops, k);
    int64_t count = count_moved(self, agpu__shard_whole_type(self, operand),
                                agpu__shard_layout(self, operand), &to);
    if (count < 0)
      return INT64_MAX;
    moved += count;
  }
  if (!loops->reduced)
    return moved;
  MlirValue result = agpu__result(loops->op, 0);
  agpu__layout partial = agpu__shard_operand_layout(loops, loops->inputs);
  int64_t count =
      count_elements(self, agpu__shard_whole_type(self, result), &partial);
  // Without a scatter, parts of the sum go back to all.
  return count < 0 ? INT64_MAX
                   : moved + (loops->scattered < 0 ? 2 * count : count);
}

/// Scatters the reduction if that gives a result in the layout that is wanted,
/// and the runtime can do it: the first dimension that is not of size 1. True
/// if it does.
static bool may_scatter(agpu__shard *self, agpu__shard_loops *loops) {
  const agpu__sharded *result =
      agpu__shard_value(self, agpu__result(loops->op, 0));
  if (!loops->reduced || !result)
    return false;
  for (intptr_t k = 0; k < loops->inputs; ++k) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(loops->op, k));
    for (intptr_t i = 0;
         mlirTypeIsARankedTensor(type) && i < mlirShapedTypeGetRank(type);
         ++i) {
      agpu__subscript at = agpu__shard_subscript(loops, k, i);
      if (!agpu__subscript_is_plain(&at))
        return false; // what windows reach into is not counted
    }
  }
  intptr_t rank = mlirShapedTypeGetRank(result->whole), dim = 0;
  while (dim < rank && mlirShapedTypeGetDimSize(result->whole, dim) == 1)
    ++dim;
  agpu__layout partial = agpu__shard_operand_layout(loops, loops->inputs);
  if (dim == rank || mlirShapedTypeIsDynamicDim(result->whole, dim) ||
      partial.dims[dim])
    return false;
  loops->scattered = dim;
  partial = agpu__shard_result_layout(loops, 0);
  return agpu__layout_equal(&partial, &result->wanted);
}

void agpu__shard_loops_assign(agpu__shard *self, agpu__shard_loops *loops) {
  agpu__shard_loops scattered = *loops;
  agpu__shard_loops_claim(self, loops, true);
  if (loops->reduction < 0)
    return;
  agpu__shard_loops_claim(self, &scattered, false);
  if (may_scatter(self, &scattered) &&
      count_for_op(self, &scattered) < count_for_op(self, loops))
    *loops = scattered;
}
