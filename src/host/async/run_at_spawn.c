//===- run_at_spawn.c - Regions that run where they are spawned -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ^entry:  have all awaited arguments succeeded? ─no─▶ ^later
//     │ yes                                              async.call, return
//   ^body:   an await: the payload is loaded
//            an assertion, an allocation: failed? ─▶ ^error
//            return: create the values, store; the ready token
//   ^error:  create the results, fail, return
//
// What is returned has been seen by nobody else before, so that values become
// READY without an atomic operation.
//
//===----------------------------------------------------------------------===//

#include "host/async/run_at_spawn.h"

#include "host/async/async_body.h"
#include "host/async/async_functions.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/ir/payload.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

typedef struct function {
  MlirOperation op;
  MlirOperation later; ///< null where nothing is awaited
  MlirType *results;
  size_t result_count;
} function;

static MlirValue create(agpu__builder *at, MlirType type) {
  return agpu__build_value(at, "async.runtime.create", NULL, 0, type);
}

/// The async function of what cannot run yet.
static MlirOperation copy(MlirSymbolTable symbols, MlirOperation region) {
  MlirContext context = mlirOperationGetContext(region);
  MlirOperation copied = mlirOperationClone(region);
  MlirStringRef name = agpu__get_string(region, "sym_name");
  char *later = agpu__format("%.*s_later", (int)name.length, name.data);
  mlirOperationSetAttributeByName(copied, agpu__str("sym_name"),
                                  agpu__string_attr(context, later));
  free(later);
  mlirSymbolTableInsert(symbols, copied);
  return copied;
}

/// Branches to a new block of what stands after `op`, or to one that calls
/// `later`.
static void build_guard(const function *self, MlirBlock entry,
                        const agpu__values *awaited) {
  MlirLocation location = mlirOperationGetLocation(self->op);
  agpu__builder at = agpu__builder_at_start(entry, location);
  MlirType i1 = agpu__i1_type(at.context);
  MlirValue all = {NULL};
  for (size_t i = 0; i < awaited->count; ++i) {
    MlirValue one =
        agpu__build_value(&at, "agpu.has_succeeded", &awaited->data[i], 1, i1);
    all = i ? agpu__build_binary(&at, "arith.andi", all, one) : one;
  }
  MlirBlock body = agpu__split_after(mlirOpResultGetOwner(all));
  MlirBlock later = agpu__block_after(body);
  agpu__branch_if(entry, location, all, body, later);

  at = agpu__builder_at_end(later, location);
  agpu__values arguments = {0}, results = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    agpu__values_push(&arguments, mlirBlockGetArgument(entry, i));
  MlirOperation call = agpu__build_call_of(
      &at, "async.call",
      mlirFlatSymbolRefAttrGet(at.context,
                               agpu__get_string(self->later, "sym_name")),
      arguments.data, arguments.count, self->results, self->result_count);
  for (size_t i = 0; i < self->result_count; ++i)
    agpu__values_push(&results, agpu__result(call, (intptr_t)i));
  agpu__build_op(&at, "func.return", results.data, results.count, no_type, NULL,
                 0);
  agpu__values_free(&arguments);
  agpu__values_free(&results);
}

/// All results share the error of the first.
static void lower_check(const function *self, MlirOperation op) {
  agpu__failure_check check;
  if (!agpu__split_at_failure(op, &check))
    return;
  MlirBlock error = agpu__block_after(check.before);
  agpu__builder at = agpu__builder_at_end(error, check.location);
  agpu__values results = {0};
  for (size_t i = 0; i < self->result_count; ++i) {
    MlirValue result = create(&at, self->results[i]);
    agpu__values_push(&results, result);
    agpu__build_failure(&at, result,
                        i ? (agpu__failure){.from = results.data[0]}
                          : check.failure);
  }
  agpu__build_op(&at, "func.return", results.data, results.count, no_type, NULL,
                 0);
  agpu__branch_if(check.before, check.location, check.ok, check.rest, error);
  agpu__values_free(&results);
}

static void lower_return(const function *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  agpu__values results = {0};
  intptr_t payload = 0;
  for (size_t i = 0; i < self->result_count; ++i) {
    MlirType type = self->results[i];
    if (agpu__type_is_token(type)) {
      agpu__values_push(
          &results, agpu__build_value(&at, "agpu.ready_token", NULL, 0, type));
      continue;
    }
    MlirValue pair[] = {mlirOperationGetOperand(op, payload++),
                        create(&at, type)};
    agpu__build_op(&at, "async.runtime.store", pair, 2, no_type, NULL, 0);
    agpu__build_op(&at, "agpu.set_available_unshared", &pair[1], 1, no_type,
                   NULL, 0);
    agpu__values_push(&results, pair[1]);
  }
  agpu__build_op(&at, "func.return", results.data, results.count, no_type, NULL,
                 0);
  mlirOperationDestroy(op);
  agpu__values_free(&results);
}

void agpu__run_at_spawn(MlirSymbolTable symbols, MlirOperation region) {
  agpu__ops awaits = agpu__ops_in(region, "async.await");
  function self = {.later = {NULL}};
  if (awaits.count)
    self.later = copy(symbols, region);
  agpu__ops_free(&awaits);

  MlirType type = mlirTypeAttrGetValue(agpu__attr(region, "function_type"));
  self.op = agpu__async_function_as_func(region);
  mlirOperationDestroy(region);
  self.result_count = (size_t)mlirFunctionTypeGetNumResults(type);
  self.results = agpu__allocate(self.result_count, sizeof(*self.results));
  for (size_t i = 0; i < self.result_count; ++i)
    self.results[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);

  agpu__ops ops = {0};
  agpu__values awaited = {0};
  agpu__collect(self.op, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__op_is(op, "async.await")) {
      MlirValue object = mlirOperationGetOperand(op, 0);
      if (agpu__values_find(&awaited, object) < 0)
        agpu__values_push(&awaited, object);
      agpu__builder at = agpu__builder_before(op);
      agpu__build_awaited(&at, op, object);
    } else if (agpu__can_end_body(op)) {
      lower_check(&self, op);
    } else if (agpu__op_is(op, "async.return")) {
      lower_return(&self, op);
    }
  }
  if (awaited.count)
    build_guard(&self, agpu__entry_block(self.op), &awaited);
  agpu__ops_free(&ops);
  agpu__values_free(&awaited);
  free(self.results);
}
