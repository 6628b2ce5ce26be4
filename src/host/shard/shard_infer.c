//===- shard_infer.c - Which layout each value has ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts go forward, from operands to results, and what has none is given the
// one that its users want, backward. Two rounds of both: what is known later
// goes the whole way then.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard.h"

static bool forward(agpu__shard *self, MlirBlock block);
static void backward(agpu__shard *self, MlirBlock block);

/// Says what a user wants of a value of which nothing is known.
static void want(agpu__shard *self, MlirValue value, agpu__layout layout) {
  agpu__sharded *known = agpu__shard_value(self, value);
  if (known && !agpu__layout_is_whole(&layout) &&
      agpu__layout_is_whole(&known->layout))
    known->wanted = layout;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// What the loop begins with in its result `index`, and ends a round with.
static MlirValue first_of(MlirOperation loop, intptr_t index) {
  return mlirOperationGetOperand(loop, 3 + index);
}

static MlirValue last_of(MlirOperation op, int region, intptr_t index) {
  return mlirOperationGetOperand(
      mlirBlockGetTerminator(agpu__region_entry(op, region)), index);
}

static bool forward_for(agpu__shard *self, MlirOperation op) {
  intptr_t count = mlirOperationGetNumResults(op);
  // A layout that the body gives is the next round's, if it is another one.
  for (int round = 0; round < 2; ++round) {
    bool is_same = round;
    for (intptr_t i = 0; i < count; ++i) {
      MlirValue result = agpu__result(op, i);
      agpu__layout layout = agpu__shard_layout(self, first_of(op, i));
      const agpu__sharded *known = agpu__shard_value(self, result);
      if (known && agpu__layout_is_whole(&layout))
        layout = known->wanted;
      if (known && agpu__layout_is_whole(&layout))
        layout = agpu__shard_layout(self, last_of(op, 0, i));
      agpu__layout before = agpu__shard_layout(self, result);
      agpu__shard_set_layout(self, result, layout);
      agpu__shard_set_layout(
          self, mlirBlockGetArgument(agpu__region_entry(op, 0), 1 + i), layout);
      layout = agpu__shard_layout(self, result);
      is_same = is_same && agpu__layout_equal(&layout, &before);
    }
    if (is_same)
      break;
    if (!forward(self, agpu__region_entry(op, 0)))
      return false;
  }
  return true;
}

static bool forward_if(agpu__shard *self, MlirOperation op) {
  for (int i = 0; i < 2; ++i)
    if (!mlirBlockIsNull(agpu__region_entry(op, i)) &&
        !forward(self, agpu__region_entry(op, i)))
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    agpu__layout layout = agpu__shard_layout(self, last_of(op, 0, i));
    if (agpu__layout_is_whole(&layout))
      layout = agpu__shard_layout(self, last_of(op, 1, i));
    agpu__shard_set_layout(self, agpu__result(op, i), layout);
  }
  return true;
}

static void backward_for(agpu__shard *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    agpu__layout layout = agpu__shard_layout(self, agpu__result(op, i));
    want(self, last_of(op, 0, i), layout);
    want(self, first_of(op, i), layout);
  }
  backward(self, agpu__region_entry(op, 0));
}

static void backward_if(agpu__shard *self, MlirOperation op) {
  for (int region = 0; region < 2; ++region) {
    if (mlirBlockIsNull(agpu__region_entry(op, region)))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
      want(self, last_of(op, region, i),
           agpu__shard_layout(self, agpu__result(op, i)));
    backward(self, agpu__region_entry(op, region));
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// True if indices of the dimension are others in the result, even if the size
/// is the same.
static bool is_moved(MlirOperation op, intptr_t dim) {
  return agpu__op_is(op, "tensor.pad")
             ? mlirDenseI64ArrayGetElement(agpu__attr(op, "static_low"), dim) ||
                   mlirDenseI64ArrayGetElement(agpu__attr(op, "static_high"),
                                               dim)
             : mlirDenseI64ArrayGetElement(agpu__attr(op, "static_strides"),
                                           dim) != 1;
}

/// The layout of an op's operand 0 in dimensions of the same size, elsewhere
/// whole.
static agpu__layout same_dims(agpu__shard *self, MlirOperation op) {
  if (!agpu__shard_value(self, mlirOperationGetOperand(op, 0)) ||
      !agpu__shard_value(self, agpu__result(op, 0)))
    return (agpu__layout){{0}};
  agpu__sharded from = *agpu__shard_value(self, mlirOperationGetOperand(op, 0));
  agpu__sharded to = *agpu__shard_value(self, agpu__result(op, 0));
  intptr_t rank = mlirShapedTypeGetRank(from.whole);
  if (mlirShapedTypeGetRank(to.whole) != rank)
    return (agpu__layout){{0}};
  for (intptr_t i = 0; i < rank; ++i) {
    agpu__shard_size before = agpu__sharded_size(&from, i);
    agpu__shard_size after = agpu__sharded_size(&to, i);
    if (before.known != after.known || before.number.ptr != after.number.ptr ||
        is_moved(op, i))
      from.layout.dims[i] = 0;
  }
  return from.layout;
}

static bool forward_op(agpu__shard *self, MlirOperation op) {
  agpu__shard_loops loops;
  if (agpu__op_is(op, "shard.shard")) {
    agpu__layout layout;
    if (!agpu__shard_annotation(self, op, &layout))
      return false;
    agpu__shard_set_layout(self, agpu__result(op, 0), layout);
    return true;
  }
  if (agpu__op_is(op, "scf.for"))
    return forward_for(self, op);
  if (agpu__op_is(op, "scf.if"))
    return forward_if(self, op);
  if (agpu__op_is(op, "tensor.empty")) {
    const agpu__sharded *known = agpu__shard_value(self, agpu__result(op, 0));
    if (known)
      agpu__shard_set_layout(self, agpu__result(op, 0), known->wanted);
    return true;
  }
  if (agpu__op_is_any(op, "tensor.pad tensor.extract_slice")) {
    agpu__shard_set_layout(self, agpu__result(op, 0), same_dims(self, op));
    return true;
  }
  if (agpu__shard_is_reshape(self, op)) {
    agpu__layout layout =
        agpu__shard_layout(self, mlirOperationGetOperand(op, 0));
    agpu__shard_set_layout(self, agpu__result(op, 0),
                           agpu__shard_reshaped(self, op, &layout, false));
    return true;
  }
  if (agpu__op_in_dialect(op, "shard") && !agpu__op_is(op, "shard.sharding")) {
    MlirStringRef name = agpu__op_name(op);
    agpu__error(mlirOperationGetLocation(op),
                "%.*s is not supported: programs say how tensors are split by "
                "shard.shard, and ranks exchange what follows from that",
                AGPU__STR(name));
    return false;
  }
  if (!agpu__shard_loops_read(self, op, &loops))
    return true; // whole
  agpu__shard_loops_assign(self, &loops);
  agpu__shard_loops_keep(&loops);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    agpu__shard_set_layout(self, agpu__result(op, i),
                           agpu__shard_result_layout(&loops, i));
  return true;
}

static bool forward(agpu__shard *self, MlirBlock block) {
  AGPU__OPS_FOREACH (op, block)
    if (!forward_op(self, op))
      return false;
  return true;
}

static void backward_op(agpu__shard *self, MlirOperation op) {
  agpu__shard_loops loops;
  if (agpu__op_is(op, "scf.for"))
    backward_for(self, op);
  else if (agpu__op_is(op, "scf.if"))
    backward_if(self, op);
  else if (agpu__op_is(op, "shard.shard"))
    want(self, mlirOperationGetOperand(op, 0),
         agpu__shard_layout(self, agpu__result(op, 0)));
  else if (agpu__shard_is_reshape(self, op)) {
    agpu__sharded result = *agpu__shard_value(self, agpu__result(op, 0));
    want(self, mlirOperationGetOperand(op, 0),
         agpu__shard_reshaped(self, op,
                              agpu__layout_is_whole(&result.layout)
                                  ? &result.wanted
                                  : &result.layout,
                              true));
  } else if (agpu__shard_loops_read(self, op, &loops)) {
    agpu__shard_loops_assign(self, &loops);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      want(self, mlirOperationGetOperand(op, i),
           agpu__shard_operand_layout(&loops, i));
  }
}

static void backward(agpu__shard *self, MlirBlock block) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, block)
    agpu__ops_push(&ops, op);
  for (size_t i = ops.count; i-- > 0;)
    backward_op(self, ops.data[i]);
}

bool agpu__shard_infer(agpu__shard *self, MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  for (int round = 0; round < 2; ++round) {
    if (!forward(self, block))
      return false;
    backward(self, block);
  }
  return forward(self, block);
}
