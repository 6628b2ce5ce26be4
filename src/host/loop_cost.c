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
/// than running it; the same where its result has to be combined with others.
#define OPS_PER_PIECE 4096
#define OPS_PER_PARTIAL 16384

/// What an op counts whose length is not known.
#define UNKNOWN_TRIPS 16
#define CALL_OPS 64

typedef struct estimate {
  const agpu__loop *loop;
  agpu__builder *at;
  int64_t most; ///< ops of a piece; more than that makes no difference
} estimate;

/// A number of ops, or of trips: `known`, unless there is a `value`.
typedef struct amount {
  int64_t known;
  MlirValue value; ///< an index; null if the number is known
} amount;

static amount known(const estimate *self, int64_t number) {
  return (amount){number < self->most ? number : self->most, {NULL}};
}

static MlirValue as_value(const estimate *self, amount a) {
  return mlirValueIsNull(a.value) ? agpu__index_constant(self->at, a.known)
                                  : a.value;
}

static amount clamp(const estimate *self, MlirValue value) {
  MlirValue most = agpu__index_constant(self->at, self->most);
  return (amount){0, agpu__build_binary(self->at, "arith.minsi", value, most)};
}

static amount combine(const estimate *self, const char *op, amount a,
                      amount b) {
  return clamp(self, agpu__build_binary(self->at, op, as_value(self, a),
                                        as_value(self, b)));
}

static amount add(const estimate *self, amount a, amount b) {
  if (mlirValueIsNull(a.value) && mlirValueIsNull(b.value))
    return known(self, a.known + b.known);
  return combine(self, "arith.addi", a, b);
}

static amount multiply(const estimate *self, amount a, amount b) {
  if (mlirValueIsNull(a.value) && mlirValueIsNull(b.value))
    return known(self, a.known * b.known);
  return combine(self, "arith.muli", a, b);
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
static MlirValue find_before(const estimate *self, MlirValue value) {
  int64_t number;
  if (!mlirTypeEqual(mlirValueGetType(value),
                     agpu__index_type(self->at->context)))
    return (MlirValue){NULL};
  if (!agpu__defined_inside(value, self->loop->op))
    return value;
  if (read_number(value, &number))
    return agpu__index_constant(self->at, number);
  return (MlirValue){NULL};
}

/// How often a dimension of a loop inside of `loop` goes around.
static amount count_trips(const estimate *self, MlirValue lower,
                          MlirValue upper, MlirValue step) {
  int64_t trips;
  if (agpu__known_trip_count(lower, upper, step, &trips))
    return known(self, trips);
  MlirValue operands[] = {lower, upper, step};
  for (int i = 0; i < 3; ++i) {
    operands[i] = find_before(self, operands[i]);
    if (mlirValueIsNull(operands[i]))
      return known(self, UNKNOWN_TRIPS);
  }
  // This runs ahead of any check that the program has of its step.
  operands[2] = agpu__build_binary(self->at, "arith.maxsi", operands[2],
                                   agpu__index_constant(self->at, 1));
  return clamp(
      self, agpu__trip_count(self->at, operands[0], operands[1], operands[2]));
}

static amount count_loop_trips(const estimate *self, MlirOperation op) {
  if (agpu__op_is(op, "scf.for"))
    return count_trips(self, mlirOperationGetOperand(op, 0),
                       mlirOperationGetOperand(op, 1),
                       mlirOperationGetOperand(op, 2));
  if (agpu__op_is(op, "scf.parallel")) {
    agpu__loop inner = {
        .op = op,
        .dimensions = (size_t)mlirBlockGetNumArguments(
            mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)))};
    amount trips = known(self, 1);
    for (size_t i = 0; i < inner.dimensions; ++i)
      trips = multiply(self, trips,
                       count_trips(self, agpu__loop_lower_bound(&inner, i),
                                   agpu__loop_upper_bound(&inner, i),
                                   agpu__loop_step(&inner, i)));
    return trips;
  }
  bool repeats =
      agpu__op_is(op, "scf.while") || agpu__op_is(op, "scf.forall") ||
      agpu__op_is(op, "affine.for") || agpu__op_is(op, "affine.parallel");
  return known(self, repeats ? UNKNOWN_TRIPS : 1);
}

/// Roughly how many ops the block runs.
static amount count_ops(const estimate *self, MlirBlock block) {
  amount total = known(self, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool calls = agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call");
    total = add(self, total, known(self, calls ? 1 + CALL_OPS : 1));
    amount inner = known(self, 0);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      for (MlirBlock nested =
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
           !mlirBlockIsNull(nested); nested = mlirBlockGetNextInRegion(nested))
        inner = add(self, inner, count_ops(self, nested));
    if (inner.known || !mlirValueIsNull(inner.value))
      total =
          add(self, total, multiply(self, inner, count_loop_trips(self, op)));
  }
  return total;
}

MlirValue agpu__loop_grain(const agpu__loop *loop, agpu__builder *at) {
  estimate self = {loop, at,
                   loop->reductions ? OPS_PER_PARTIAL : OPS_PER_PIECE};
  amount ops = count_ops(&self, agpu__loop_block(loop));
  // At least the terminator: neither is zero.
  if (mlirValueIsNull(ops.value))
    return agpu__index_constant(at, self.most / ops.known);
  return agpu__build_binary(at, "arith.divsi",
                            agpu__index_constant(at, self.most), ops.value);
}
