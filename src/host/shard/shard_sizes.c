//===- shard_sizes.c - Sizes that types do not have -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank cannot ask its part how large the whole tensor is. So each size that a
// type does not have is traced to a number of the program, while tensors are
// whole: an operand of the tensor.empty that a result is written into, or the
// size of an argument. Where there is none, the tensor is asked, and stays
// whole in that dimension.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

static void find_in_block(agpu__shard *self, MlirBlock block);

static bool is_dynamic(MlirValue value, intptr_t dim) {
  return mlirShapedTypeIsDynamicDim(mlirValueGetType(value), dim);
}

/// Dimensions of a value whose sizes are traced; 0: it is no such value.
static intptr_t rank_of(agpu__shard *self, MlirValue value) {
  return agpu__shard_value(self, value)
             ? mlirShapedTypeGetRank(mlirValueGetType(value))
             : 0;
}

/// The one constant of that size, at the start of the function.
static MlirValue constant_of(agpu__shard *self, int64_t size) {
  MlirBlock block = mlirOperationGetBlock(self->start);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, self->start);
       op = mlirOperationGetNextInBlock(op)) {
    int64_t number;
    if (mlirOperationGetNumResults(op) == 1 &&
        mlirTypeIsAIndex(mlirValueGetType(agpu__result(op, 0))) &&
        agpu__known_number(agpu__result(op, 0), &number) && number == size)
      return agpu__result(op, 0);
  }
  agpu__builder at = agpu__shard_at_start(self);
  return agpu__index_constant(&at, size);
}

/// Numbers that are equal when the program is compiled are one value.
static void set_number(agpu__shard *self, MlirValue value, intptr_t dim,
                       MlirValue number) {
  int64_t size;
  if (agpu__known_number(number, &size))
    number = constant_of(self, size);
  agpu__shard_value(self, value)->numbers[dim] = number;
}

/// The number of a dimension, which may be a constant.
static MlirValue number_at(agpu__shard *self, MlirValue value, intptr_t dim) {
  agpu__shard_size size =
      agpu__sharded_size(agpu__shard_value(self, value), dim);
  return size.known < 0 ? size.number : constant_of(self, size.known);
}

/// What the tensor itself says.
static MlirValue ask(agpu__builder at, MlirValue value, intptr_t dim) {
  MlirValue operands[] = {value, agpu__index_constant(&at, dim)};
  return agpu__build_value(&at, "tensor.dim", operands, 2,
                           agpu__index_type(at.context));
}

MlirValue agpu__shard_number_of(agpu__shard *self, MlirOperation dim_op) {
  MlirValue tensor = mlirOperationGetOperand(dim_op, 0);
  MlirOperation index = agpu__maker_of(mlirOperationGetOperand(dim_op, 1));
  const agpu__sharded *known = agpu__shard_value(self, tensor);
  int64_t dim =
      mlirOperationIsNull(index) ? -1 : agpu__get_int(index, "value", -1);
  if (!known || dim < 0 || dim >= mlirShapedTypeGetRank(known->whole))
    return (MlirValue){NULL};
  return number_at(self, tensor, dim);
}

/// The number behind one of the program.
static MlirValue trace(agpu__shard *self, MlirValue number) {
  MlirOperation maker = agpu__maker_of(number);
  if (!agpu__op_is(maker, "tensor.dim"))
    return number;
  MlirValue traced = agpu__shard_number_of(self, maker);
  return mlirValueIsNull(traced) ? number : traced;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// How many of the sizes in front of dimension `dim` are operands.
static intptr_t operands_before(MlirValue value, intptr_t dim) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < dim; ++i)
    count += is_dynamic(value, i);
  return count;
}

/// The size of a tensor.pad's result; null: how much it pads is not known.
static MlirValue number_of_pad(agpu__shard *self, MlirOperation pad,
                               intptr_t dim) {
  int64_t low = mlirDenseI64ArrayGetElement(agpu__attr(pad, "static_low"), dim);
  int64_t high =
      mlirDenseI64ArrayGetElement(agpu__attr(pad, "static_high"), dim);
  if (mlirShapedTypeIsDynamicSize(low) || mlirShapedTypeIsDynamicSize(high))
    return (MlirValue){NULL};
  agpu__builder at = agpu__builder_before(pad);
  MlirValue size = number_at(self, mlirOperationGetOperand(pad, 0), dim);
  return low + high
             ? agpu__shard_add(&at, size, agpu__index_constant(&at, low + high))
             : size;
}

/// The product of a group's sizes.
static MlirValue product_of(agpu__shard *self, MlirOperation op,
                            agpu__shard_group_dims of) {
  MlirValue product = {NULL};
  agpu__builder at = agpu__builder_before(op);
  for (intptr_t i = of.begin; i < of.end; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, 0);
    if (mlirShapedTypeGetDimSize(mlirValueGetType(operand), i) == 1)
      continue;
    MlirValue size = number_at(self, operand, i);
    product = mlirValueIsNull(product)
                  ? size
                  : agpu__build_binary(&at, "arith.muli", product, size);
  }
  return product;
}

/// The number of dimension `dim` of a reshape's result; null: it has to be
/// asked.
static MlirValue number_of_reshaped(agpu__shard *self, MlirOperation op,
                                    intptr_t dim) {
  if (agpu__op_is(op, "tensor.cast"))
    return number_at(self, mlirOperationGetOperand(op, 0), dim);
  if (agpu__op_is(op, "tensor.collapse_shape"))
    return product_of(self, op, agpu__shard_reshape_group(op, dim));
  return mlirOperationGetOperand(op,
                                 1 + operands_before(agpu__result(op, 0), dim));
}

/// The number of dimension `dim` of result `index`; null: it has to be asked.
static MlirValue number_of_result(agpu__shard *self, MlirOperation op,
                                  intptr_t index, intptr_t dim) {
  MlirValue result = agpu__result(op, index);
  MlirType type = mlirValueGetType(result);
  if (agpu__op_is(op, "tensor.empty"))
    return trace(self,
                 mlirOperationGetOperand(op, operands_before(result, dim)));
  if (agpu__op_is(op, "tensor.pad"))
    return number_of_pad(self, op, dim);
  if (agpu__op_is(op, "tensor.extract_slice") &&
      mlirShapedTypeGetRank(type) ==
          rank_of(self, mlirOperationGetOperand(op, 0))) {
    intptr_t offsets =
        mlirDenseI32ArrayGetElement(agpu__attr(op, "operandSegmentSizes"), 1);
    return trace(self, mlirOperationGetOperand(
                           op, 1 + offsets + operands_before(result, dim)));
  }
  if (agpu__shard_is_reshape(self, op))
    return trace(self, number_of_reshaped(self, op, dim));
  intptr_t from = 0;
  if (agpu__op_in_dialect(op, "linalg"))
    from = mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op) +
           index;
  else if (!agpu__op_is(op, "shard.shard"))
    return (MlirValue){NULL};
  MlirValue same = mlirOperationGetOperand(op, from);
  return mlirTypeEqual(mlirValueGetType(same), type)
             ? number_at(self, same, dim)
             : (MlirValue){NULL};
}

/// True if the value was asked before: loops are searched more than once.
static bool is_asked(agpu__shard *self, MlirValue value, intptr_t dim) {
  return agpu__shard_is_asked(agpu__shard_value(self, value)->numbers[dim],
                              value);
}

static void set_or_ask(agpu__shard *self, MlirOperation op, intptr_t index,
                       intptr_t dim, MlirValue number) {
  MlirValue result = agpu__result(op, index);
  if (mlirValueIsNull(number)) {
    if (is_asked(self, result, dim))
      return;
    number = ask(agpu__builder_after(op), result, dim);
  }
  set_number(self, result, dim, number);
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

static MlirValue yielded(agpu__shard *self, MlirOperation op, intptr_t region,
                         intptr_t index, intptr_t dim) {
  MlirOperation yield = mlirBlockGetTerminator(agpu__region_entry(op, region));
  return number_at(self, mlirOperationGetOperand(yield, index), dim);
}

/// A tensor that a loop carries has the size that it begins with, unless a
/// round ends with another. What was found out in a round of a loop around this
/// one holds: sizes that differ there do so in others.
static void find_in_for(agpu__shard *self, MlirOperation op) {
  MlirBlock body = agpu__region_entry(op, 0);
  intptr_t count = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue first = mlirOperationGetOperand(op, 3 + i);
    MlirValue carried = mlirBlockGetArgument(body, 1 + i);
    for (intptr_t dim = 0; dim < rank_of(self, first); ++dim)
      if (is_dynamic(first, dim) && !is_asked(self, carried, dim)) {
        MlirValue number = number_at(self, first, dim);
        set_number(self, carried, dim, number);
        set_number(self, agpu__result(op, i), dim, number);
      }
  }
  for (bool is_done = false; !is_done;) {
    find_in_block(self, body);
    is_done = true;
    for (intptr_t i = 0; i < count; ++i) {
      MlirValue carried = mlirBlockGetArgument(body, 1 + i);
      for (intptr_t dim = 0; dim < rank_of(self, carried); ++dim) {
        if (!is_dynamic(carried, dim) || is_asked(self, carried, dim) ||
            mlirValueEqual(yielded(self, op, 0, i, dim),
                           number_at(self, carried, dim)))
          continue;
        is_done = false;
        agpu__builder at =
            agpu__builder_at_start(body, mlirOperationGetLocation(op));
        set_number(self, carried, dim, ask(at, carried, dim));
        set_or_ask(self, op, i, dim, (MlirValue){NULL});
      }
    }
  }
}

static void find_in_if(agpu__shard *self, MlirOperation op) {
  for (intptr_t region = 0; region < 2; ++region)
    if (!mlirBlockIsNull(agpu__region_entry(op, region)))
      find_in_block(self, agpu__region_entry(op, region));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (intptr_t dim = 0; dim < rank_of(self, agpu__result(op, i)); ++dim) {
      if (!is_dynamic(agpu__result(op, i), dim))
        continue;
      MlirValue number = yielded(self, op, 0, i, dim);
      bool is_same = mlirValueEqual(number, yielded(self, op, 1, i, dim));
      set_or_ask(self, op, i, dim, is_same ? number : (MlirValue){NULL});
    }
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

static void find_in_op(agpu__shard *self, MlirOperation op) {
  if (agpu__op_is(op, "scf.for")) {
    find_in_for(self, op);
    return;
  }
  if (agpu__op_is(op, "scf.if")) {
    find_in_if(self, op);
    return;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    for (intptr_t dim = 0; dim < rank_of(self, agpu__result(op, i)); ++dim)
      if (is_dynamic(agpu__result(op, i), dim))
        set_or_ask(self, op, i, dim, number_of_result(self, op, i, dim));
}

static void find_in_block(agpu__shard *self, MlirBlock block) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, block)
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i)
    find_in_op(self, ops.data[i]);
}

void agpu__shard_find_sizes(agpu__shard *self, MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    for (intptr_t dim = 0; dim < rank_of(self, argument); ++dim)
      if (is_dynamic(argument, dim))
        set_number(self, argument, dim,
                   ask(agpu__shard_at_start(self), argument, dim));
  }
  find_in_block(self, block);
}
