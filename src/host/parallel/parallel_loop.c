//===- parallel_loop.c - A parallel loop becomes a call -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel_loop.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stddef.h>

static const MlirType no_type = {NULL};

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

bool agpu__defined_inside(MlirValue value, MlirOperation loop) {
  MlirOperation op =
      mlirValueIsABlockArgument(value)
          ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
          : mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, loop))
      return true;
  return false;
}

MlirOperation agpu__constant_op(MlirValue value) {
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (agpu__op_is(op, "arith.constant") ||
        agpu__op_is(op, "llvm.mlir.constant") ||
        agpu__op_is(op, "memref.get_global"))
      return op;
  }
  return (MlirOperation){NULL};
}

void agpu__move_ops(agpu__builder *at, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationEqual(op, end);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(at->block, op);
    op = next;
  }
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
  return choose(at, compare(at, LESS, lower, upper),
                agpu__build_binary(at, "arith.addi", steps, one),
                agpu__index_constant(at, 0));
}

/// a * b, neither negative, or INT64_MAX where that is more.
static MlirValue multiply(agpu__builder *at, MlirValue a, MlirValue b) {
  MlirType types[] = {mlirValueGetType(a), mlirValueGetType(a)};
  MlirValue operands[] = {a, b};
  agpu__op_spec spec = {.name = "arith.mului_extended",
                        .location = at->location,
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

/// How many iterations the loop has: no program lives to see the end of more
/// than INT64_MAX.
static MlirValue count_iterations(const agpu__loop *loop, agpu__builder *at) {
  MlirValue count = agpu__index_constant(at, 1);
  for (size_t i = 0; i < loop->dimensions; ++i) {
    MlirValue trips = agpu__trip_count(at, agpu__loop_lower_bound(loop, i),
                                       agpu__loop_upper_bound(loop, i),
                                       agpu__loop_step(loop, i));
    count = i ? multiply(at, count, trips) : trips;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

static MlirValue function_address(agpu__builder *at, MlirOperation function) {
  MlirType type = mlirTypeAttrGetValue(agpu__attr(function, "function_type"));
  MlirNamedAttribute symbol =
      agpu__named(at->context, "value",
                  mlirFlatSymbolRefAttrGet(
                      at->context, agpu__get_string(function, "sym_name")));
  MlirOperation constant =
      agpu__build_op(at, "func.constant", NULL, 0, type, &symbol, 1);
  return agpu__cast(at, agpu__result(constant, 0), agpu__ptr_type(at->context));
}

/// Memory of the frame with the initial values, for the results.
static MlirValue store_initial(const agpu__loop *loop, agpu__builder *at,
                               MlirType results) {
  MlirValue memory = agpu__loop_memory(loop, results);
  MlirValue whole = agpu__llvm_undef(at, results);
  for (size_t i = 0; i < loop->reductions; ++i)
    whole = agpu__llvm_insert(
        at, whole,
        agpu__cast(at, agpu__loop_initial(loop, i),
                   mlirLLVMStructTypeGetElementType(results, (intptr_t)i)),
        (int64_t)i);
  agpu__llvm_store(at, whole, memory);
  return memory;
}

static void replace_results(const agpu__loop *loop, agpu__builder *at,
                            MlirType results, MlirValue memory) {
  MlirValue whole = agpu__llvm_load(at, memory, results);
  for (size_t i = 0; i < loop->reductions; ++i) {
    MlirValue old = agpu__result(loop->op, (intptr_t)i);
    MlirValue stored = agpu__llvm_extract(
        at, whole, mlirLLVMStructTypeGetElementType(results, (intptr_t)i),
        (int64_t)i);
    mlirValueReplaceAllUsesOfWith(
        old, agpu__cast(at, stored, mlirValueGetType(old)));
  }
}

static void build_call(agpu__loop *loop, const agpu__loop_values *values,
                       MlirType results) {
  agpu__builder at = agpu__builder_before(loop->op);
  MlirType i64 = agpu__i64_type(at.context);
  MlirValue count = count_iterations(loop, &at);
  MlirValue grain = agpu__loop_grain(loop, &at);
  MlirValue operands[7] = {agpu__convert(&at, "arith.index_cast", count, i64),
                           agpu__convert(&at, "arith.index_cast", grain, i64)};
  if (loop->reductions) {
    operands[3] =
        function_address(&at, agpu__loop_build_combine(loop, values, results));
    operands[4] = agpu__loop_values_store(values, loop, &at);
    operands[5] = store_initial(loop, &at, results);
    operands[6] = agpu__llvm_size_of(&at, results);
    operands[2] =
        function_address(&at, agpu__loop_build_body(loop, values, results));
    agpu__call_runtime(&at, loop->module, "agpu_parallel_reduce", operands, 7,
                       no_type);
    replace_results(loop, &at, results, operands[5]);
  } else {
    operands[3] = agpu__loop_values_store(values, loop, &at);
    operands[2] =
        function_address(&at, agpu__loop_build_body(loop, values, results));
    agpu__call_runtime(&at, loop->module, "agpu_parallel_for", operands, 4,
                       no_type);
  }
}

bool agpu__loop_lower(agpu__loop *loop) {
  MlirType results = agpu__reductions_type(loop);
  agpu__loop_values values;
  bool possible =
      agpu__loop_values_collect(loop, &values) && !mlirTypeIsNull(results);
  if (possible) {
    build_call(loop, &values, results);
    mlirOperationDestroy(loop->op);
  }
  agpu__loop_values_free(&values);
  return possible;
}
