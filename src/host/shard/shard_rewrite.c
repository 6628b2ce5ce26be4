//===- shard_rewrite.c - Each rank computes its part ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops stay where they are; their operands become parts, and so do their
// results. An op that is not known works on whole tensors, on all ranks.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

static void rewrite_block(agpu__shard *self, MlirBlock block, agpu__ops *dead);

/// Gives operand `number` in that layout.
static void convert_operand(agpu__shard *self, agpu__builder *at,
                            MlirOperation op, intptr_t number,
                            const agpu__layout *layout) {
  mlirOperationSetOperand(
      op, number,
      agpu__shard_convert(self, at, mlirOperationGetOperand(op, number),
                          layout));
}

/// A value becomes the rank's part of it.
static void set_local(agpu__shard *self, MlirValue value) {
  const agpu__sharded *known = agpu__shard_value(self, value);
  if (known)
    mlirValueSetType(
        value, agpu__shard_local_type(self, known->whole, &known->layout));
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// What a region yields for each result of `op` is in the result's layout.
static void rewrite_region(agpu__shard *self, MlirOperation op, MlirBlock block,
                           agpu__ops *dead) {
  rewrite_block(self, block, dead);
  MlirOperation yield = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(yield);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
    agpu__layout layout = agpu__shard_layout(self, agpu__result(op, i));
    convert_operand(self, &at, yield, i, &layout);
  }
}

static void rewrite_for(agpu__shard *self, MlirOperation op, agpu__ops *dead) {
  agpu__builder at = agpu__builder_before(op);
  MlirBlock body = agpu__entry_block(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    agpu__layout layout = agpu__shard_layout(self, agpu__result(op, i));
    convert_operand(self, &at, op, 3 + i, &layout);
    set_local(self, mlirBlockGetArgument(body, 1 + i));
  }
  rewrite_region(self, op, body, dead);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    set_local(self, agpu__result(op, i));
}

static void rewrite_if(agpu__shard *self, MlirOperation op, agpu__ops *dead) {
  for (intptr_t i = 0; i < 2; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (!mlirBlockIsNull(block))
      rewrite_region(self, op, block, dead);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    set_local(self, agpu__result(op, i));
}

//===----------------------------------------------------------------------===//
// Ops of tensor
//===----------------------------------------------------------------------===//

/// Sizes of dimensions that were known and are the rank's now, in front of the
/// op's own that follow them in `sizes`.
static void insert_sizes(agpu__shard *self, MlirOperation op, intptr_t first,
                         const char *attribute, intptr_t segment) {
  MlirValue result = agpu__result(op, 0);
  const agpu__sharded *known = agpu__shard_value(self, result);
  agpu__layout layout = known->layout;
  MlirType whole = known->whole;
  MlirType local = agpu__shard_local_type(self, whole, &layout);
  intptr_t rank = mlirShapedTypeGetRank(whole), position = first;
  int64_t sizes[AGPU__SHARD_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    sizes[i] = mlirShapedTypeGetDimSize(local, i);
    if (!mlirShapedTypeIsDynamicDim(local, i))
      continue;
    if (!mlirShapedTypeIsDynamicDim(whole, i)) {
      MlirValue size = agpu__shard_block(self, layout.dims[i],
                                         mlirShapedTypeGetDimSize(whole, i))
                           .size;
      agpu__insert_operands(op, position, &size, 1, segment);
    }
    ++position;
  }
  if (attribute)
    agpu__set_attr(op, attribute,
                   mlirDenseI64ArrayGet(self->context, rank, sizes));
  mlirValueSetType(result, local);
}

static void rewrite_slice(agpu__shard *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  agpu__layout layout = agpu__shard_layout(self, agpu__result(op, 0));
  convert_operand(self, &at, op, 0, &layout);
  MlirAttribute segments = agpu__attr(op, "operandSegmentSizes");
  intptr_t offsets = mlirDenseI32ArrayGetElement(segments, 1);
  insert_sizes(self, op, 1 + offsets, "static_sizes", 2);
}

static void rewrite_pad(agpu__shard *self, MlirOperation op, agpu__ops *dead) {
  if (agpu__shard_pads_parts(self, op)) {
    agpu__ops_push(dead, op);
    return;
  }
  agpu__builder at = agpu__builder_before(op);
  agpu__layout layout = agpu__shard_layout(self, agpu__result(op, 0));
  convert_operand(self, &at, op, 0, &layout);
  set_local(self, agpu__result(op, 0));
}

/// The size of a dimension in the program. Where it is not known here it is not
/// split, and the op can ask the part.
static void rewrite_dim(agpu__shard *self, MlirOperation op, agpu__ops *dead) {
  MlirType whole = agpu__shard_whole_type(self, mlirOperationGetOperand(op, 0));
  MlirOperation index = agpu__maker_of(mlirOperationGetOperand(op, 1));
  int64_t dim =
      mlirOperationIsNull(index) ? -1 : agpu__get_int(index, "value", -1);
  if (!mlirTypeIsARankedTensor(whole) || dim < 0 ||
      dim >= mlirShapedTypeGetRank(whole) ||
      mlirShapedTypeIsDynamicDim(whole, dim))
    return;
  agpu__builder at = agpu__builder_before(op);
  mlirValueReplaceAllUsesOfWith(
      agpu__result(op, 0),
      agpu__index_constant(&at, mlirShapedTypeGetDimSize(whole, dim)));
  agpu__ops_push(dead, op);
}

//===----------------------------------------------------------------------===//
// All others
//===----------------------------------------------------------------------===//

typedef struct nested {
  agpu__shard *shard;
  MlirOperation root;
  agpu__builder at;
} nested;

/// What an op in a region uses from outside is whole.
static MlirWalkResult gather_uses(MlirOperation op, void *data) {
  nested *self = data;
  agpu__layout whole = {{0}};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!agpu__defined_inside(operand, self->root) ||
        mlirOperationEqual(op, self->root))
      convert_operand(self->shard, &self->at, op, i, &whole);
  }
  return MlirWalkResultAdvance;
}

static void rewrite_op(agpu__shard *self, MlirOperation op, agpu__ops *dead) {
  if (agpu__op_is(op, "shard.sharding")) {
    agpu__ops_push(dead, op);
  } else if (agpu__op_is(op, "shard.shard")) {
    agpu__builder at = agpu__builder_before(op);
    agpu__layout layout = agpu__shard_layout(self, agpu__result(op, 0));
    MlirValue value =
        agpu__shard_convert(self, &at, mlirOperationGetOperand(op, 0), &layout);
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), value);
    agpu__ops_push(dead, op);
  } else if (agpu__op_is(op, "scf.for")) {
    rewrite_for(self, op, dead);
  } else if (agpu__op_is(op, "scf.if")) {
    rewrite_if(self, op, dead);
  } else if (agpu__op_is(op, "tensor.empty")) {
    if (agpu__shard_value(self, agpu__result(op, 0)))
      insert_sizes(self, op, 0, NULL, -1);
  } else if (agpu__op_is(op, "tensor.extract_slice") &&
             agpu__shard_value(self, agpu__result(op, 0))) {
    rewrite_slice(self, op);
  } else if (agpu__op_is(op, "tensor.pad") &&
             agpu__shard_value(self, agpu__result(op, 0))) {
    rewrite_pad(self, op, dead);
  } else if (agpu__op_is(op, "tensor.dim")) {
    rewrite_dim(self, op, dead);
  } else if (!agpu__op_is(op, "scf.yield") &&
             !agpu__shard_rewrite_linalg(self, op, dead)) {
    nested of = {self, op, agpu__builder_before(op)};
    mlirOperationWalk(op, gather_uses, &of, MlirWalkPreOrder);
  }
}

static void rewrite_block(agpu__shard *self, MlirBlock block, agpu__ops *dead) {
  agpu__ops ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i)
    rewrite_op(self, ops.data[i], dead);
  agpu__ops_free(&ops);
}

void agpu__shard_rewrite(agpu__shard *self, MlirOperation function) {
  agpu__ops dead = {0};
  agpu__shard_begin_function(self, function);
  rewrite_block(self, agpu__entry_block(function), &dead);
  if (self->group_count)
    agpu__shard_check_arguments(self, function);
  for (size_t i = dead.count; i-- > 0;)
    mlirOperationDestroy(dead.data[i]);
  agpu__ops_free(&dead);
  agpu__shard_cut(self, function);
}
