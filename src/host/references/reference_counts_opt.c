//===- reference_counts_opt.c - Redundant reference counts go away --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-reference-counts-opt`.
//
// An added reference that is dropped again later in the same block is not
// needed while the reference that was there before is still there. That one
// can only go where an op in between takes a reference of the same object, or
// drops one: through the same value or a cast of it, or, where the value is
// another name of one that is not known (a select), through any value.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/references/references.h"

#include <stdlib.h>

/// The object after casts.
static MlirValue object_of(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!agpu__op_is(op, "builtin.unrealized_conversion_cast") ||
        mlirOperationGetNumOperands(op) != 1)
      break;
    value = mlirOperationGetOperand(op, 0);
  }
  return value;
}

static bool touches(MlirOperation op, MlirValue object) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (mlirValueEqual(object_of(mlirOperationGetOperand(op, i)), object))
      return true;
  return false;
}

/// The value came with a reference of its own. One that did not (a select, a
/// load) is another name of some value here, which nothing tells.
static bool came_with_reference(MlirValue object) {
  return mlirValueIsABlockArgument(object) ||
         agpu__gives_references(mlirOpResultGetOwner(object));
}

/// The op ends a reference of some object.
static bool releases(MlirOperation op) {
  if (agpu__op_is(op, "async.runtime.drop_ref"))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (agpu__type_is_object(mlirValueGetType(value)) &&
        agpu__references_taken(op, value) > 0)
      return true;
  }
  return false;
}

static int64_t count_of(MlirOperation op) {
  return mlirIntegerAttrGetValueInt(agpu__attr(op, "count"));
}

/// Takes `less` from the op's count; at zero the op goes away.
static void reduce(MlirOperation op, int64_t less) {
  int64_t count = count_of(op) - less;
  if (count == 0)
    mlirOperationDestroy(op);
  else
    agpu__set_attr(op, "count",
                   agpu__i64_attr(mlirOperationGetContext(op), count));
}

/// The drop that makes `add` redundant, or a null op.
static MlirOperation find_drop(MlirOperation add) {
  MlirValue object = object_of(mlirOperationGetOperand(add, 0));
  bool is_alias = !came_with_reference(object);
  for (MlirOperation op = mlirOperationGetNextInBlock(add);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool touched = touches(op, object);
    if (touched && agpu__op_is(op, "async.runtime.drop_ref"))
      return op;
    if ((touched || is_alias) && releases(op))
      break;
    if (touched && mlirOperationGetNumSuccessors(op) > 0)
      break;
  }
  return (MlirOperation){NULL};
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (add, module, "async.runtime.add_ref") {
    for (int64_t left = count_of(add); left > 0;) {
      MlirOperation drop = find_drop(add);
      if (mlirOperationIsNull(drop))
        break;
      int64_t paired = count_of(drop) < left ? count_of(drop) : left;
      left -= paired;
      reduce(drop, paired);
      reduce(add, paired);
    }
  }
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_reference_counts_opt = {
    .argument = "async-gpu-reference-counts-opt",
    .summary = "Remove reference counts that cancel out",
    .run = run,
};
