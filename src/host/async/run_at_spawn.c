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
//   (^ask:   have the others enough to do? ─no─▶ ^later)
//     │ yes
//   ^body:   an await: the payload is loaded
//            the last, of another token: that is what is returned
//            an assertion, an allocation: failed? ─▶ ^error
//            return: create the values, store; the ready token
//   ^error:  create the results, fail, return
//
// What is returned has been seen by nobody else before, so that values become
// READY without an atomic operation. What is called later starts on the
// executor: here it would only suspend, or has just been refused.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

typedef struct function {
  MlirOperation op;
  MlirOperation later; ///< null where nothing is awaited or asked
  bool asks;           ///< whether to run here
  MlirType *results;
  size_t result_count;
} function;

static MlirValue create(agpu__builder *at, MlirType type) {
  return agpu__build_value(at, "async.runtime.create", NULL, 0, type);
}

/// Whether `region` runs in its spawner only while others have enough to do.
static bool asks(MlirOperation region) {
  return mlirStringRefEqual(agpu__get_string(region, AGPU__START_ATTR),
                            agpu__str(AGPU__START_READY));
}

/// The async function of what cannot run yet.
static MlirOperation copy(MlirSymbolTable symbols, MlirOperation region) {
  MlirContext context = mlirOperationGetContext(region);
  MlirOperation copied = mlirOperationClone(region);
  if (asks(region))
    mlirOperationSetDiscardableAttributeByName(
        copied, agpu__str(AGPU__START_ATTR),
        agpu__string_attr(context, AGPU__START_EXECUTOR));
  MlirStringRef name = agpu__get_string(region, "sym_name");
  AGPU__OWNED char *later =
      agpu__format("%.*s_later", (int)name.length, name.data);
  mlirOperationSetAttributeByName(copied, agpu__str("sym_name"),
                                  agpu__string_attr(context, later));
  mlirSymbolTableInsert(symbols, copied);
  return copied;
}

/// Whether all that is awaited has succeeded.
static MlirValue build_all_succeeded(agpu__builder *at,
                                     const agpu__values *awaited) {
  MlirType i1 = agpu__i1_type(at->context);
  MlirValue all = {NULL};
  for (size_t i = 0; i < awaited->count; ++i) {
    MlirValue one =
        agpu__build_value(at, "agpu.has_succeeded", &awaited->data[i], 1, i1);
    all = i ? agpu__build_binary(at, "arith.andi", all, one) : one;
  }
  return all;
}

/// Branches from the end of `block`, if not `condition`, to `later`; and gives
/// the block of what stood behind `condition`.
static MlirBlock branch_to_later(MlirValue condition, MlirBlock block,
                                 MlirBlock *later, MlirLocation location) {
  MlirBlock rest = agpu__split_after(mlirOpResultGetOwner(condition));
  if (mlirBlockIsNull(*later))
    *later = agpu__block_after(rest);
  agpu__branch_if(block, location, condition, rest, *later);
  return rest;
}

/// Branches to a new block of what stands after the guard, or to one that calls
/// `later`.
static void build_guard(const function *self, MlirBlock entry,
                        const agpu__values *awaited) {
  MlirLocation location = mlirOperationGetLocation(self->op);
  agpu__builder at = agpu__builder_at_start(entry, location);
  MlirBlock block = entry, later = {NULL};
  if (awaited->count)
    block = branch_to_later(build_all_succeeded(&at, awaited), block, &later,
                            location);
  if (self->asks) {
    at = agpu__builder_at_start(block, location);
    MlirValue here = agpu__build_value(&at, "agpu.start_here", NULL, 0,
                                       agpu__i1_type(at.context));
    (void)branch_to_later(here, block, &later, location);
  }

  at = agpu__builder_at_end(later, location);
  AGPU__SCOPED(values) arguments = agpu__arguments(entry, 0);
  MlirOperation call = agpu__build_call_of(
      &at, "async.call",
      mlirFlatSymbolRefAttrGet(at.context,
                               agpu__get_string(self->later, "sym_name")),
      arguments.data, arguments.count, self->results, self->result_count);
  AGPU__SCOPED(values) results = agpu__results(call, 0);
  agpu__build_op(&at, "func.return", results.data, results.count, no_type, NULL,
                 0);
}

/// The end of what has run here.
static void build_return(const function *self, agpu__builder *at,
                         const agpu__values *results) {
  if (self->asks) {
    MlirValue suspended = agpu__llvm_bool(at, false);
    agpu__build_effect(at, "agpu.started_here", &suspended, 1);
  }
  agpu__build_op(at, "func.return", results->data, results->count, no_type,
                 NULL, 0);
}

/// All results share the error of the first.
static void lower_check(const function *self, MlirOperation op) {
  agpu__failure_check check;
  if (!agpu__split_at_failure(op, &check))
    return;
  MlirBlock error = agpu__block_after(check.before);
  agpu__builder at = agpu__builder_at_end(error, check.location);
  AGPU__SCOPED(values) results = {0};
  for (size_t i = 0; i < self->result_count; ++i) {
    MlirValue result = create(&at, self->results[i]);
    agpu__values_push(&results, result);
    agpu__build_failure(&at, result,
                        i ? (agpu__failure){.from = results.data[0]}
                          : check.failure);
  }
  build_return(self, &at, &results);
  agpu__branch_if(check.before, check.location, check.ok, check.rest, error);
}

static void lower_return(const function *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) results = {0};
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
  build_return(self, &at, &results);
  mlirOperationDestroy(op);
}

bool agpu__awaits_argument(MlirOperation await) {
  MlirValue object = mlirOperationGetOperand(await, 0);
  MlirBlock entry = agpu__entry_block(mlirOperationGetParentOperation(await));
  return mlirBlockEqual(mlirOperationGetBlock(await), entry) &&
         mlirValueIsABlockArgument(object) &&
         mlirBlockEqual(mlirBlockArgumentGetOwner(object), entry);
}

/// Whether memory of the function goes when it returns: what is awaited last
/// may be a message that is still in it.
static bool has_stack_memory(MlirOperation region) {
  static const char *const names[] = {"memref.alloca", "llvm.alloca"};
  bool has = false;
  for (size_t i = 0; i < 2; ++i) {
    AGPU__SCOPED(ops) found = agpu__ops_in(region, names[i]);
    has |= found.count > 0;
  }
  return has;
}

bool agpu__awaits_last(MlirOperation await) {
  MlirType object = mlirValueGetType(mlirOperationGetOperand(await, 0));
  if (!agpu__type_is_token(object) || agpu__awaits_argument(await))
    return false;
  MlirOperation region = mlirOperationGetParentOperation(await);
  MlirType type = mlirTypeAttrGetValue(agpu__attr(region, "function_type"));
  if (mlirFunctionTypeGetNumResults(type) != 1 ||
      !agpu__type_is_token(mlirFunctionTypeGetResult(type, 0)))
    return false;
  MlirOperation next = mlirOperationGetNextInBlock(await);
  while (agpu__op_is(next, "cf.br") && agpu__only_branches_forward(next))
    next = mlirBlockGetFirstOperation(mlirOperationGetSuccessor(next, 0));
  return agpu__op_is(next, "async.return") && !has_stack_memory(region);
}

/// Gives what is awaited last in place of the region's own token, which would
/// end as that does.
static void lower_last_awaits(const function *self) {
  AGPU__OPS_IN_FOREACH (op, self->op, "async.await") {
    if (!agpu__awaits_last(op))
      continue;
    AGPU__SCOPED(values) object = agpu__operands(op, 0);
    mlirOperationDestroy(mlirOperationGetNextInBlock(op));
    agpu__builder at = agpu__builder_before(op);
    build_return(self, &at, &object);
    mlirOperationDestroy(op);
  }
}

void agpu__run_at_spawn(MlirSymbolTable symbols, MlirOperation region) {
  AGPU__SCOPED(ops) awaits = agpu__ops_in(region, "async.await");
  function self = {.later = {NULL}, .asks = asks(region)};
  if (awaits.count || self.asks)
    self.later = copy(symbols, region);

  MlirType type = mlirTypeAttrGetValue(agpu__attr(region, "function_type"));
  self.op = agpu__async_function_as_func(region);
  mlirOperationDestroy(region);
  self.result_count = (size_t)mlirFunctionTypeGetNumResults(type);
  self.results = agpu__allocate(self.result_count, sizeof(*self.results));
  for (size_t i = 0; i < self.result_count; ++i)
    self.results[i] = mlirFunctionTypeGetResult(type, (intptr_t)i);

  lower_last_awaits(&self);
  AGPU__SCOPED(ops) ops = {0};
  AGPU__SCOPED(values) awaited = {0};
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
  if (!mlirOperationIsNull(self.later))
    build_guard(&self, agpu__entry_block(self.op), &awaited);
  free(self.results);
}
