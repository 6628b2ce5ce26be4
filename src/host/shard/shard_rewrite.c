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

#include "host/shard/shard_parts.h"
#include "lower/dialect/attributes.h"

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
    MlirBlock block = agpu__region_entry(op, i);
    if (!mlirBlockIsNull(block))
      rewrite_region(self, op, block, dead);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    set_local(self, agpu__result(op, i));
}

//===----------------------------------------------------------------------===//
// Ops of tensor
//===----------------------------------------------------------------------===//

/// Sizes of dimensions that are the rank's now, among those that the op has
/// itself from operand `first` on.
static void insert_sizes(agpu__shard *self, MlirOperation op, intptr_t first,
                         const char *attribute, intptr_t segment) {
  MlirValue result = agpu__result(op, 0);
  agpu__sharded known = *agpu__shard_value(self, result);
  MlirType local = agpu__shard_local_type(self, known.whole, &known.layout);
  intptr_t rank = mlirShapedTypeGetRank(local), position = first;
  int64_t sizes[AGPU__SHARD_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    sizes[i] = mlirShapedTypeGetDimSize(local, i);
    if (!mlirShapedTypeIsDynamicDim(local, i))
      continue;
    agpu__shard_size whole = agpu__sharded_size(&known, i);
    MlirValue size = {NULL};
    if (known.layout.dims[i])
      size = agpu__shard_block(self, known.layout.dims[i], whole).size;
    if (whole.known >= 0)
      agpu__insert_operands(op, position, &size, 1, segment);
    else if (known.layout.dims[i])
      mlirOperationSetOperand(op, position, size);
    ++position;
  }
  if (attribute)
    agpu__set_attr(op, attribute,
                   mlirDenseI64ArrayGet(self->context, rank, sizes));
  mlirValueSetType(result, local);
}

/// True if the op's result can have the layout that its operand has: of another
/// rank, both are whole.
static bool has_part_of_operand(agpu__shard *self, MlirOperation op) {
  return agpu__shard_value(self, agpu__result(op, 0)) &&
         mlirShapedTypeGetRank(mlirValueGetType(agpu__result(op, 0))) ==
             mlirShapedTypeGetRank(
                 mlirValueGetType(mlirOperationGetOperand(op, 0)));
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

static void rewrite_reshape(agpu__shard *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  agpu__layout of_result = agpu__shard_layout(self, agpu__result(op, 0));
  agpu__layout layout = agpu__shard_reshaped(self, op, &of_result, true);
  convert_operand(self, &at, op, 0, &layout);
  if (agpu__op_is(op, "tensor.expand_shape"))
    insert_sizes(self, op, 1, "static_output_shape", -1);
  else
    set_local(self, agpu__result(op, 0));
}

/// The size of a dimension in the program.
static void rewrite_dim(agpu__shard *self, MlirOperation op) {
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(op, 0))))
    return;
  MlirValue number = agpu__shard_number_of(self, op);
  if (mlirValueIsNull(number)) {
    agpu__builder at = agpu__builder_before(op);
    agpu__layout whole = {{0}};
    convert_operand(self, &at, op, 0, &whole);
  } else if (!mlirValueEqual(number, agpu__result(op, 0))) {
    mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), number);
  }
}

//===----------------------------------------------------------------------===//
// All others
//===----------------------------------------------------------------------===//

typedef struct nested {
  agpu__shard *shard;
  MlirOperation root;
  agpu__builder at;
  bool takes_parts; ///< the root itself
} nested;

/// What an op in a region uses from outside is whole.
static MlirWalkResult gather_uses(MlirOperation op, void *data) {
  nested *self = data;
  agpu__layout whole = {{0}};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirOperationEqual(op, self->root)
            ? !self->takes_parts
            : !agpu__defined_inside(operand, self->root))
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
             has_part_of_operand(self, op)) {
    rewrite_slice(self, op);
  } else if (agpu__op_is(op, "tensor.pad") &&
             agpu__shard_value(self, agpu__result(op, 0))) {
    rewrite_pad(self, op, dead);
  } else if (agpu__shard_is_reshape(self, op)) {
    rewrite_reshape(self, op);
  } else if (agpu__op_is(op, "tensor.dim")) {
    rewrite_dim(self, op);
  } else if (!agpu__op_is(op, "scf.yield")) {
    nested of = {self, op, agpu__builder_before(op),
                 agpu__has_attr(op, AGPU__SHARD_AXES_ATTR)};
    mlirOperationWalk(op, gather_uses, &of, MlirWalkPreOrder);
    agpu__shard_rewrite_linalg(self, op, dead);
  }
}

static void rewrite_block(agpu__shard *self, MlirBlock block, agpu__ops *dead) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, block)
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i)
    rewrite_op(self, ops.data[i], dead);
}

/// Sizes that nobody wants are no users of what they ask.
static void drop_idle_dims(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (op, function, "tensor.dim")
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(agpu__result(op, 0))))
      mlirOperationDestroy(op);
}

void agpu__shard_rewrite(agpu__shard *self, MlirOperation function) {
  AGPU__SCOPED(ops) dead = {0};
  rewrite_block(self, agpu__entry_block(function), &dead);
  if (self->group_count)
    agpu__shard_check_arguments(self, function);
  drop_idle_dims(function);
  for (size_t i = dead.count; i-- > 0;)
    mlirOperationDestroy(dead.data[i]);
  agpu__shard_cut(self, function);
}
