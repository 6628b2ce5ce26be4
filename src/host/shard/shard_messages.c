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
// read and write. async-gpu-mpi lowers them. Reductions take place in the
// memory that they read, where that is not needed any more.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "host/shard/shard.h"
#include "host/shard/shard_parts.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/Func.h"

#include <stdlib.h>

static MlirLogicalResult replace(MlirOperation call, MlirOperation callee) {
  if (!agpu__has_attr(callee, AGPU__SHARD_NUMBERS_ATTR))
    return agpu__error(
        mlirOperationGetLocation(callee),
        "there is no " AGPU__SHARD_NUMBERS_ATTR
        ", which async-gpu-shard leaves beside " AGPU__SHARD_OP_ATTR);
  agpu__builder at = agpu__builder_before(call);
  MlirStringRef op = agpu__get_string(callee, AGPU__SHARD_OP_ATTR);
  AGPU__OWNED char *name = agpu__format("agpu.%.*s", AGPU__STR(op));
  AGPU__SCOPED(values) operands = agpu__operands(call, 0);
  MlirNamedAttribute numbers = agpu__named(
      at.context, "numbers", agpu__attr(callee, AGPU__SHARD_NUMBERS_ATTR));
  MlirOperation made = agpu__build_op(&at, name, operands.data, operands.count,
                                      agpu__result_type(call), &numbers, 1);
  agpu__replace_op_by(call, made);
  return mlirLogicalResultSuccess();
}

/// True if nothing uses the memory of `memref` behind `op` but what frees it,
/// which becomes `*release`.
static bool ends_with(MlirValue memref, MlirOperation op,
                      MlirOperation *release) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOpOperand use = mlirValueGetFirstUse(memref);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    MlirOperation at = agpu__find_in_block(user, block);
    agpu__op_class class = agpu__row_of(user)->class;
    if (mlirOperationEqual(user, op))
      continue;
    if (agpu__op_is(user, "memref.dealloc")) {
      if (!mlirOperationIsNull(*release) || !mlirOperationEqual(user, at) ||
          mlirOperationIsBeforeInBlock(user, op))
        return false;
      *release = user;
    } else if (mlirOperationIsNull(at) ||
               !mlirOperationIsBeforeInBlock(at, op) ||
               (class != AGPU__OP_LINALG && class != AGPU__OP_ACCESSES &&
                class != AGPU__OP_VIEW)) {
      return false;
    }
    for (intptr_t i = 0;
         class == AGPU__OP_VIEW && i < mlirOperationGetNumResults(user); ++i)
      if (agpu__is_memref(agpu__result(user, i)) &&
          !ends_with(agpu__result(user, i), op, release))
        return false;
  }
  return true;
}

static bool is_allocated(MlirValue memref) {
  MlirOperation op = agpu__maker_of(memref);
  return agpu__op_is(op, "memref.alloc");
}

/// A reduction of memory that is freed behind it takes place there: its result
/// needs no memory of its own, and MPI copies nothing.
static void reduce_in_place(MlirOperation op) {
  MlirValue from = agpu__view_source(mlirOperationGetOperand(op, 0));
  MlirValue to = mlirOperationGetOperand(op, 1);
  bool is_scattered =
      mlirDenseI64ArrayGetElement(agpu__attr(op, "numbers"), 1) >= 0;
  MlirOperation release = {NULL};
  if (is_scattered || !is_allocated(from) || !is_allocated(to) ||
      !mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to)) ||
      !ends_with(from, op, &release) || mlirOperationIsNull(release))
    return;
  MlirOperation memory = agpu__maker_of(to);
  mlirValueReplaceAllUsesOfWith(to, from);
  mlirOperationDestroy(memory);
  mlirOperationDestroy(release);
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) calls = agpu__ops_in(module, "func.call");
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < calls.count && mlirLogicalResultIsSuccess(result);
       ++i) {
    MlirOperation callee = agpu__find_callee(symbols, calls.data[i]);
    if (!mlirOperationIsNull(callee) &&
        agpu__has_attr(callee, AGPU__SHARD_OP_ATTR))
      result = replace(calls.data[i], callee);
  }
  mlirSymbolTableDestroy(symbols);
  if (mlirLogicalResultIsFailure(result))
    return result;
  AGPU__OPS_IN_FOREACH (reduction, module, "agpu.reduce")
    reduce_in_place(reduction);
  AGPU__OPS_IN_FOREACH (function, module, "func.func")
    if (agpu__has_attr(function, AGPU__SHARD_OP_ATTR))
      mlirOperationDestroy(function);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_shard_messages = {
    .argument = "async-gpu-shard-messages",
    .summary = "Name what ranks do together",
    .run = run,
};

//===----------------------------------------------------------------------===//
// Calls that ranks make together
//
// Until tensors are in memory, what ranks do together is calls of functions
// without a body, which upstream's bufferization takes as they are: they read a
// tensor, and write into memory that becomes one. (A bufferization.to_buffer in
// front of them would have no effect that anybody sees, and so could be moved.)
// The pass above makes ops of them.
//===----------------------------------------------------------------------===//

/// Bufferization gives the tensor's buffer as it is, of any layout.
static void read_in_place(MlirOperation function, intptr_t argument,
                          MlirType tensor) {
  MlirContext context = mlirTypeGetContext(tensor);
  int64_t unknown[AGPU__SHARD_RANK];
  for (int i = 0; i < AGPU__SHARD_RANK; ++i)
    unknown[i] = mlirShapedTypeGetDynamicStrideOrOffset();
  mlirFuncSetArgAttr(function, argument, agpu__str("bufferization.access"),
                     agpu__string_attr(context, "read"));
  mlirFuncSetArgAttr(
      function, argument, agpu__str("bufferization.buffer_layout"),
      mlirStridedLayoutAttrGet(context, unknown[0],
                               mlirShapedTypeGetRank(tensor), unknown));
}

MlirValue agpu__shard_call(agpu__shard *self, agpu__builder *at,
                           const char *name, const int64_t *numbers,
                           size_t number_count, const MlirValue *operands,
                           size_t operand_count, MlirType result) {
  MlirType inputs[4];
  for (size_t i = 0; i < operand_count; ++i)
    inputs[i] = mlirValueGetType(operands[i]);
  AGPU__OWNED char *base = agpu__format("shard.call.%zu", self->call_count++);
  AGPU__OWNED char *symbol = agpu__unique_symbol(self->module, base);
  agpu__builder top =
      agpu__builder_at_start(agpu__module_body(self->module), at->location);
  bool has_result = !mlirTypeIsNull(result);
  MlirOperation function = agpu__build_function(
      &top, &(agpu__function_spec){.op = "func.func",
                                   .name = symbol,
                                   .type = mlirFunctionTypeGet(
                                       self->context, (intptr_t)operand_count,
                                       inputs, has_result, &result)});
  agpu__set_attr(function, AGPU__SHARD_OP_ATTR,
                 agpu__string_attr(self->context, name));
  agpu__set_attr(
      function, AGPU__SHARD_NUMBERS_ATTR,
      mlirDenseI64ArrayGet(self->context, (intptr_t)number_count, numbers));
  for (size_t i = 0; i < operand_count; ++i)
    if (mlirTypeIsATensor(inputs[i]))
      read_in_place(function, (intptr_t)i, inputs[i]);
  MlirOperation call = agpu__build_call_of(
      at, "func.call", agpu__symbol_attr(self->context, symbol), operands,
      operand_count, &result, has_result);
  return has_result ? agpu__result(call, 0) : (MlirValue){NULL};
}
