//===- loop_cost.c - What an iteration of a loop costs ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/parallel_loop.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stddef.h>

/// Ops that a piece of a loop should hold, so that handing it out costs less
/// than running it; and what an op counts whose length is not known.
#define OPS_PER_PIECE 4096
#define UNKNOWN_TRIPS 16
#define CALL_OPS 64

/// A number of ops, or of trips: `known`, unless there is a `value`. Never more
/// than OPS_PER_PIECE, as more makes no difference.
typedef struct amount {
  int64_t known;
  MlirValue value; ///< an index; null if the number is known
} amount;

static amount known(int64_t number) {
  return (amount){number < OPS_PER_PIECE ? number : OPS_PER_PIECE, {NULL}};
}

static MlirValue as_value(agpu__builder *at, amount a) {
  return mlirValueIsNull(a.value) ? agpu__index_constant(at, a.known) : a.value;
}

static amount clamp(agpu__builder *at, MlirValue value) {
  MlirValue most = agpu__index_constant(at, OPS_PER_PIECE);
  return (amount){0, agpu__build_binary(at, "arith.minsi", value, most)};
}

static amount combine(agpu__builder *at, const char *op, amount a, amount b) {
  return clamp(at,
               agpu__build_binary(at, op, as_value(at, a), as_value(at, b)));
}

static amount add(agpu__builder *at, amount a, amount b) {
  if (mlirValueIsNull(a.value) && mlirValueIsNull(b.value))
    return known(a.known + b.known);
  return combine(at, "arith.addi", a, b);
}

static amount multiply(agpu__builder *at, amount a, amount b) {
  if (mlirValueIsNull(a.value) && mlirValueIsNull(b.value))
    return known(a.known * b.known);
  return combine(at, "arith.muli", a, b);
}

/// False if `value` is no integer constant.
static bool read_number(MlirValue value, int64_t *out_number) {
  MlirOperation op = agpu__constant_op(value);
  if (mlirOperationIsNull(op) || !agpu__op_is(op, "arith.constant"))
    return false;
  MlirAttribute number =
      mlirOperationGetAttributeByName(op, agpu__str("value"));
  if (!mlirAttributeIsAInteger(number))
    return false;
  *out_number = mlirIntegerAttrGetValueInt(number);
  return true;
}

bool agpu__known_trip_count(MlirValue lower, MlirValue upper, MlirValue step,
                            int64_t *out_trips) {
  int64_t first, end, by, length;
  if (!read_number(lower, &first) || !read_number(upper, &end) ||
      !read_number(step, &by) || by <= 0 ||
      __builtin_sub_overflow(end, first, &length))
    return false;
  *out_trips = length <= 0 ? 0 : (length - 1) / by + 1;
  return true;
}

/// An index that is `value` and can be had before the loop; null if there is
/// none.
static MlirValue find_before(const agpu__loop *loop, agpu__builder *at,
                             MlirValue value) {
  int64_t number;
  if (!mlirTypeEqual(mlirValueGetType(value), agpu__index_type(at->context)))
    return (MlirValue){NULL};
  if (!agpu__defined_inside(value, loop->op))
    return value;
  if (read_number(value, &number))
    return agpu__index_constant(at, number);
  return (MlirValue){NULL};
}

/// How often a dimension of a loop inside of `loop` goes around.
static amount count_trips(const agpu__loop *loop, agpu__builder *at,
                          MlirValue lower, MlirValue upper, MlirValue step) {
  int64_t trips;
  if (agpu__known_trip_count(lower, upper, step, &trips))
    return known(trips);
  MlirValue operands[] = {lower, upper, step};
  for (int i = 0; i < 3; ++i) {
    operands[i] = find_before(loop, at, operands[i]);
    if (mlirValueIsNull(operands[i]))
      return known(UNKNOWN_TRIPS);
  }
  return clamp(at, agpu__trip_count(at, operands[0], operands[1], operands[2]));
}

static amount count_loop_trips(const agpu__loop *loop, agpu__builder *at,
                               MlirOperation op) {
  if (agpu__op_is(op, "scf.for"))
    return count_trips(loop, at, mlirOperationGetOperand(op, 0),
                       mlirOperationGetOperand(op, 1),
                       mlirOperationGetOperand(op, 2));
  if (agpu__op_is(op, "scf.parallel")) {
    agpu__loop inner = {
        .op = op,
        .dimensions = (size_t)mlirBlockGetNumArguments(
            mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)))};
    amount trips = known(1);
    for (size_t i = 0; i < inner.dimensions; ++i)
      trips = multiply(at, trips,
                       count_trips(loop, at, agpu__loop_lower_bound(&inner, i),
                                   agpu__loop_upper_bound(&inner, i),
                                   agpu__loop_step(&inner, i)));
    return trips;
  }
  bool repeats =
      agpu__op_is(op, "scf.while") || agpu__op_is(op, "scf.forall") ||
      agpu__op_is(op, "affine.for") || agpu__op_is(op, "affine.parallel");
  return known(repeats ? UNKNOWN_TRIPS : 1);
}

/// Roughly how many ops the block runs.
static amount count_ops(const agpu__loop *loop, agpu__builder *at,
                        MlirBlock block) {
  amount total = known(0);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool calls = agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call");
    total = add(at, total, known(calls ? 1 + CALL_OPS : 1));
    amount inner = known(0);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      for (MlirBlock nested =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
           !mlirBlockIsNull(nested); nested = mlirBlockGetNextInRegion(nested))
        inner = add(at, inner, count_ops(loop, at, nested));
    if (inner.known || !mlirValueIsNull(inner.value))
      total =
          add(at, total, multiply(at, inner, count_loop_trips(loop, at, op)));
  }
  return total;
}

MlirValue agpu__loop_grain(const agpu__loop *loop, agpu__builder *at) {
  amount ops = count_ops(loop, at, agpu__loop_block(loop));
  // At least the terminator: neither is zero.
  if (mlirValueIsNull(ops.value))
    return agpu__index_constant(at, OPS_PER_PIECE / ops.known);
  return agpu__build_binary(at, "arith.divsi",
                            agpu__index_constant(at, OPS_PER_PIECE), ops.value);
}
