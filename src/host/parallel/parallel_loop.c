//===- parallel_loop.c - What parallel loops consist of -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all files of the pass ask of a loop: its operands by dimension and
// reduction, what is defined inside of it, how often it goes around. Knows none
// of them, and changes nothing.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

#include "mlir-c/Dialect/LLVM.h"

// Predicates of arith.cmpi, as the dialect numbers them.
enum { EQUAL = 0, LESS = 2 };

//===----------------------------------------------------------------------===//
// What a loop consists of
//===----------------------------------------------------------------------===//

static MlirValue operand(const agpu__loop *loop, size_t number) {
  return mlirOperationGetOperand(loop->op, (intptr_t)number);
}

MlirValue agpu__loop_lower_bound(const agpu__loop *loop, size_t dimension) {
  return operand(loop, dimension);
}

MlirValue agpu__loop_upper_bound(const agpu__loop *loop, size_t dimension) {
  return operand(loop, loop->dimensions + dimension);
}

MlirValue agpu__loop_step(const agpu__loop *loop, size_t dimension) {
  return operand(loop, 2 * loop->dimensions + dimension);
}

MlirValue agpu__loop_initial(const agpu__loop *loop, size_t reduction) {
  return operand(loop, 3 * loop->dimensions + reduction);
}

MlirBlock agpu__loop_block(const agpu__loop *loop) {
  return agpu__entry_block(loop->op);
}

MlirOperation agpu__constant_op(MlirValue value) {
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (agpu__op_is_any(op,
                        "arith.constant llvm.mlir.constant memref.get_global"))
      return op;
  }
  return (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

MlirValue agpu__convert(agpu__builder *at, const char *name, MlirValue value,
                        MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return agpu__build_unary(at, name, value, type);
}

MlirValue agpu__cast(agpu__builder *at, MlirValue value, MlirType type) {
  return agpu__convert(at, "builtin.unrealized_conversion_cast", value, type);
}

static MlirValue compare(agpu__builder *at, int64_t predicate, MlirValue a,
                         MlirValue b) {
  MlirValue operands[] = {a, b};
  return agpu__build_with(at, "arith.cmpi", operands, 2,
                          agpu__i1_type(at->context), "predicate",
                          agpu__i64_attr(at->context, predicate));
}

static MlirValue choose(agpu__builder *at, MlirValue condition, MlirValue yes,
                        MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return agpu__build_value(at, "arith.select", operands, 3,
                           mlirValueGetType(yes));
}

/// The distance from the first to the last is below 2^64, whatever the bounds
/// are, and so is not negative without a sign.
MlirValue agpu__trip_count(agpu__builder *at, MlirValue lower, MlirValue upper,
                           MlirValue step) {
  MlirValue one = agpu__index_constant(at, 1);
  MlirValue length = agpu__build_binary(at, "arith.subi", upper, lower);
  MlirValue last = agpu__build_binary(at, "arith.subi", length, one);
  MlirValue steps = agpu__build_binary(at, "arith.divui", last, step);
  steps = agpu__build_binary(at, "arith.minui", steps,
                             agpu__index_constant(at, INT64_MAX - 1));
  MlirValue none = agpu__index_constant(at, 0);
  MlirValue count = agpu__build_binary(at, "arith.addi", steps, one);
  return choose(at, compare(at, LESS, lower, upper), count, none);
}

/// a * b, neither negative, or INT64_MAX where that is more.
static MlirValue multiply(agpu__builder *at, MlirValue a, MlirValue b) {
  MlirType types[] = {mlirValueGetType(a), mlirValueGetType(a)};
  MlirValue operands[] = {a, b};
  agpu__op_spec spec = {.name = "arith.mului_extended",
                        .operands = operands,
                        .operand_count = 2,
                        .results = types,
                        .result_count = 2};
  MlirOperation product = agpu__build(at, &spec);
  MlirValue most = agpu__index_constant(at, INT64_MAX);
  MlirValue low =
      agpu__build_binary(at, "arith.minui", agpu__result(product, 0), most);
  MlirValue fits =
      compare(at, EQUAL, agpu__result(product, 1), agpu__index_constant(at, 0));
  return choose(at, fits, low, most);
}

MlirValue agpu__loop_iterations(const agpu__loop *loop, agpu__builder *at) {
  MlirValue count = agpu__index_constant(at, 1);
  for (size_t i = 0; i < loop->dimensions; ++i) {
    MlirValue trips = agpu__trip_count(at, agpu__loop_lower_bound(loop, i),
                                       agpu__loop_upper_bound(loop, i),
                                       agpu__loop_step(loop, i));
    count = i ? multiply(at, count, trips) : trips;
  }
  return count;
}
