//===- shard_reshape.c - Tensors that get other dimensions ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.expand_shape, tensor.collapse_shape and tensor.cast. A dimension of
// one side stands for a group of dimensions of the other. Ranks keep their
// parts where the split goes through the outermost of the group: where all
// others are of size 1, or where that one is divided evenly. Otherwise parts
// of the two sides begin at other elements.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

bool agpu__shard_is_reshape(agpu__shard *self, MlirOperation op) {
  return agpu__op_is_any(
             op, "tensor.expand_shape tensor.collapse_shape tensor.cast") &&
         agpu__shard_value(self, mlirOperationGetOperand(op, 0)) &&
         agpu__shard_value(self, agpu__result(op, 0));
}

agpu__shard_group_dims agpu__shard_reshape_group(MlirOperation op,
                                                 intptr_t dim) {
  MlirAttribute groups = agpu__attr(op, "reassociation");
  if (mlirAttributeIsNull(groups))
    return (agpu__shard_group_dims){dim, dim + 1};
  MlirAttribute dims = mlirArrayAttrGetElement(groups, dim);
  intptr_t count = mlirArrayAttrGetNumElements(dims);
  intptr_t begin = count ? (intptr_t)mlirIntegerAttrGetValueInt(
                               mlirArrayAttrGetElement(dims, 0))
                         : 0;
  return (agpu__shard_group_dims){begin, begin + count};
}

/// The dimension of the group that is split when its elements are; negative:
/// none can be, along these axes.
static intptr_t outermost(const agpu__shard *self, MlirType wide,
                          agpu__shard_group_dims of, agpu__axes axes) {
  intptr_t dim = of.begin;
  while (dim < of.end && mlirShapedTypeGetDimSize(wide, dim) == 1)
    ++dim;
  bool is_alone = true, is_known = true;
  for (intptr_t i = dim + 1; i < of.end; ++i) {
    is_alone = is_alone && mlirShapedTypeGetDimSize(wide, i) == 1;
    is_known = is_known && !mlirShapedTypeIsDynamicDim(wide, i);
  }
  if (dim == of.end)
    return -1;
  int64_t ranks = agpu__shard_ranks(self, axes);
  return is_alone || (is_known && ranks > 0 &&
                      !mlirShapedTypeIsDynamicDim(wide, dim) &&
                      mlirShapedTypeGetDimSize(wide, dim) % ranks == 0)
             ? dim
             : -1;
}

agpu__layout agpu__shard_reshaped(agpu__shard *self, MlirOperation op,
                                  const agpu__layout *layout, bool of_result) {
  bool expands = agpu__op_is(op, "tensor.expand_shape");
  MlirValue operand = mlirOperationGetOperand(op, 0);
  MlirValue result = agpu__result(op, 0);
  MlirType wide = agpu__shard_whole_type(self, expands ? result : operand);
  MlirType flat = agpu__shard_whole_type(self, expands ? operand : result);
  agpu__layout other = {{0}};
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(flat); ++i) {
    agpu__shard_group_dims of = agpu__shard_reshape_group(op, i);
    if (expands == of_result) {
      for (intptr_t k = of.begin; k < of.end; ++k)
        if (layout->dims[k] && outermost(self, wide, of, layout->dims[k]) == k)
          other.dims[i] = layout->dims[k];
    } else if (layout->dims[i]) {
      intptr_t dim = outermost(self, wide, of, layout->dims[i]);
      if (dim >= 0)
        other.dims[dim] = layout->dims[i];
    }
  }
  return other;
}
