//===- loop_call.c - A parallel loop becomes a call -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The call of the runtime that takes a loop's place, in front of it: the number
// of iterations, how many run together, the functions that run and combine
// them, and what they take along. The loop is gone, and its results are read
// from memory of the frame; a loop that cannot be lowered is left as it was.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

#include "mlir-c/Dialect/LLVM.h"

static const MlirType no_type = {NULL};

static MlirValue function_address(agpu__builder *at, MlirOperation function) {
  MlirType type = agpu__function_type(function);
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

/// Calls the runtime: `name`, or, where the loop can fail, `name_of_failing`,
/// which gives a token.
static MlirValue call(const agpu__loop *loop, agpu__builder *at,
                      const char *name, const char *name_of_failing,
                      const MlirValue *operands, size_t count) {
  if (!loop->fails)
    return agpu__call_runtime(at, loop->module, name, operands, count, no_type);
  return agpu__build_call_declared(at, loop->module, name_of_failing, operands,
                                   count, agpu__token_type(at->context));
}

static void build_call(agpu__loop *loop, const agpu__loop_values *values,
                       MlirType results) {
  agpu__builder at = agpu__builder_before(loop->op);
  MlirType i64 = agpu__i64_type(at.context);
  MlirValue token;
  MlirValue count = agpu__loop_iterations(loop, &at);
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
    token = call(loop, &at, "agpu_parallel_reduce", "agpu_parallel_try_reduce",
                 operands, 7);
    replace_results(loop, &at, results, operands[5]);
  } else {
    operands[3] = agpu__loop_values_store(values, loop, &at);
    operands[2] =
        function_address(&at, agpu__loop_build_body(loop, values, results));
    token =
        call(loop, &at, "agpu_parallel_for", "agpu_parallel_try", operands, 4);
  }
  // It is READY or in error.
  if (loop->fails)
    agpu__build_effect(&at, "agpu.propagate", &token, 1);
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
