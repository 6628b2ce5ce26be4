//===- shard_messages.c - What ranks do together, as ops ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-shard-messages`, behind bufferization: calls that
// async-gpu-shard has made become ops of the dialect agpu, which say what they
// read and write. async-gpu-mpi lowers them.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/shard/shard.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

static void replace(MlirOperation call, MlirOperation callee) {
  agpu__builder at = agpu__builder_before(call);
  MlirStringRef op = agpu__get_string(callee, AGPU__SHARD_OP_ATTR);
  char *name = agpu__format("agpu.%.*s", (int)op.length, op.data);
  agpu__values operands = agpu__operands(call, 0);
  MlirNamedAttribute numbers = agpu__named(
      at.context, "numbers", agpu__attr(callee, AGPU__SHARD_NUMBERS_ATTR));
  bool has_result = mlirOperationGetNumResults(call);
  MlirOperation made = agpu__build_op(
      &at, name, operands.data, operands.count,
      has_result ? mlirValueGetType(agpu__result(call, 0)) : (MlirType){NULL},
      &numbers, 1);
  if (has_result)
    mlirValueReplaceAllUsesOfWith(agpu__result(call, 0), agpu__result(made, 0));
  mlirOperationDestroy(call);
  agpu__values_free(&operands);
  free(name);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  agpu__ops calls = agpu__ops_in(module, "func.call");
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation callee = agpu__find_callee(symbols, calls.data[i]);
    if (!mlirOperationIsNull(callee) &&
        agpu__has_attr(callee, AGPU__SHARD_OP_ATTR))
      replace(calls.data[i], callee);
  }
  mlirSymbolTableDestroy(symbols);
  agpu__ops_free(&calls);
  agpu__ops functions = agpu__ops_in(module, "func.func");
  for (size_t i = 0; i < functions.count; ++i)
    if (agpu__has_attr(functions.data[i], AGPU__SHARD_OP_ATTR))
      mlirOperationDestroy(functions.data[i]);
  agpu__ops_free(&functions);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_shard_messages = {
    .argument = "async-gpu-shard-messages",
    .summary = "Name what ranks do together",
    .run = run,
};
