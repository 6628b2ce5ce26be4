//===- loop_cost.c - What an iteration of a loop costs ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many iterations of a loop should run together: from the ops of one of
// them, those of functions that it calls, and how often loops in it go around,
// built as an index where that is only known when the program runs. What cannot
// be counted counts as much: the loop is then handed out one iteration at a
// time.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

/// Ops that a piece of a loop should hold, so that handing it out costs less
/// than running it; the same where its result has to be combined with others.
#define OPS_PER_PIECE 4096
#define OPS_PER_PARTIAL 16384

/// What a call counts beside the ops of the function that it calls.
#define CALL_OPS 4

/// Functions that call each other, and ops that are looked at for one loop.
/// What lies after is not known.
#define DEPTH 8
#define LOOKS 20000

typedef struct estimate {
  const agpu__loop *loop;
  agpu__builder *at;
  int64_t most; ///< ops of a piece; more than that makes no difference
  int depth;    ///< functions between the loop and what is looked at
  int looks;    ///< ops that were looked at
  bool is_open; ///< there is something whose cost is not known
} estimate;

/// A number of ops, or of trips: `known`, unless there is a `value`.
typedef struct amount {
  int64_t known;
  MlirValue value; ///< an index; null if the number is known
} amount;

static amount known(const estimate *self, int64_t number) {
  return (amount){number < self->most ? number : self->most, {NULL}};
}

/// What may take as long as anything: an iteration is worth handing out. A loop
/// that has been shared in vain costs some microseconds, one that has not been
/// shared as many times its length as there are threads.
static amount unknown(estimate *self) {
  self->is_open = true;
  return known(self, self->most);
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

/// An index that is `value` and can be had before the loop; null if there is
/// none.
static MlirValue find_before(const estimate *self, MlirValue value) {
  int64_t number;
  if (!mlirTypeEqual(mlirValueGetType(value),
                     agpu__index_type(self->at->context)))
    return (MlirValue){NULL};
  if (self->depth == 0 && !agpu__defined_inside(value, self->loop->op))
    return value;
  if (agpu__known_number(value, &number))
    return agpu__index_constant(self->at, number);
  return (MlirValue){NULL};
}

/// How often a dimension of a loop inside of `loop` goes around.
static amount count_trips(estimate *self, MlirValue lower, MlirValue upper,
                          MlirValue step) {
  int64_t trips;
  if (agpu__known_trip_count(lower, upper, step, &trips))
    return known(self, trips);
  MlirValue operands[] = {lower, upper, step};
  for (int i = 0; i < 3; ++i) {
    operands[i] = find_before(self, operands[i]);
    if (mlirValueIsNull(operands[i]))
      return unknown(self);
  }
  // This runs ahead of any check that the program has of its step.
  operands[2] = agpu__build_binary(self->at, "arith.maxsi", operands[2],
                                   agpu__index_constant(self->at, 1));
  return clamp(
      self, agpu__trip_count(self->at, operands[0], operands[1], operands[2]));
}

static amount count_loop_trips(estimate *self, MlirOperation op) {
  if (agpu__op_is(op, "scf.for"))
    return count_trips(self, mlirOperationGetOperand(op, 0),
                       mlirOperationGetOperand(op, 1),
                       mlirOperationGetOperand(op, 2));
  if (agpu__op_is(op, "scf.parallel")) {
    agpu__loop inner = {
        .op = op,
        .dimensions = (size_t)mlirBlockGetNumArguments(agpu__entry_block(op))};
    amount trips = known(self, 1);
    for (size_t i = 0; i < inner.dimensions; ++i)
      trips = multiply(self, trips,
                       count_trips(self, agpu__loop_lower_bound(&inner, i),
                                   agpu__loop_upper_bound(&inner, i),
                                   agpu__loop_step(&inner, i)));
    return trips;
  }
  return agpu__op_has(op, AGPU__OP_LOOP) ? unknown(self) : known(self, 1);
}

static bool is_enough(const estimate *self, amount ops) {
  return mlirValueIsNull(ops.value) && ops.known == self->most;
}

static amount count_ops(estimate *self, MlirBlock block);

/// What the function that `call` calls runs.
static amount count_callee_ops(estimate *self, MlirOperation call) {
  MlirOperation callee = agpu__find_callee(self->loop->symbols, call);
  if (mlirOperationIsNull(callee) || mlirOperationGetNumRegions(callee) == 0 ||
      self->depth == DEPTH)
    return unknown(self);
  MlirRegion body = mlirOperationGetRegion(callee, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(body);
  // Blocks that branch may be a loop.
  if (mlirBlockIsNull(entry) ||
      !mlirBlockIsNull(mlirBlockGetNextInRegion(entry)))
    return unknown(self);
  ++self->depth;
  amount ops = count_ops(self, entry);
  --self->depth;
  return add(self, ops, known(self, CALL_OPS));
}

/// Roughly how many ops the block runs.
static amount count_ops(estimate *self, MlirBlock block) {
  amount total = known(self, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !is_enough(self, total);
       op = mlirOperationGetNextInBlock(op)) {
    if (++self->looks > LOOKS)
      return unknown(self);
    bool calls = agpu__op_is(op, "func.call") || agpu__op_is(op, "llvm.call");
    total =
        add(self, total, calls ? count_callee_ops(self, op) : known(self, 1));
    amount inner = known(self, 0);
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
      AGPU__BLOCKS_FOREACH (nested, mlirOperationGetRegion(op, i))
        inner = add(self, inner, count_ops(self, nested));
    if (inner.known || !mlirValueIsNull(inner.value))
      total =
          add(self, total, multiply(self, inner, count_loop_trips(self, op)));
  }
  return total;
}

MlirValue agpu__loop_grain(agpu__loop *loop, agpu__builder *at) {
  estimate self = {.loop = loop,
                   .at = at,
                   .most = loop->reductions ? OPS_PER_PARTIAL : OPS_PER_PIECE};
  amount ops = count_ops(&self, agpu__loop_block(loop));
  loop->cost_is_unknown = self.is_open;
  // At least the terminator: neither is zero.
  if (mlirValueIsNull(ops.value)) {
    loop->grain = self.most / ops.known;
    return agpu__index_constant(at, loop->grain);
  }
  return agpu__build_binary(at, "arith.divsi",
                            agpu__index_constant(at, self.most), ops.value);
}
