//===- coroutines.c - Async functions become functions --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-coroutines`: each async function becomes what it takes to
// wait as it does.
//
//   starts in its caller and awaits nothing         a plain function
//   ... or operands until they are ENQUEUED, first  enqueued_call.c
//   anything else                                   coroutine.c
//
// A function that gives its failure to its caller: failing_function.c. Awaits
// of plain functions block. After this, `async` is left with ops of its
// runtime and of coroutines.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"

static agpu__start start_of(MlirOperation async_function, bool upstream) {
  MlirStringRef kind = agpu__get_string(async_function, AGPU__KIND_ATTR);
  // A function that the user wrote starts in its caller, as upstream's do.
  if (!kind.data || mlirStringRefEqual(kind, agpu__str(AGPU__KIND_DEVICE)))
    return AGPU__STARTS_CALLER;
  MlirStringRef where = agpu__get_string(async_function, AGPU__START_ATTR);
  if (upstream || !where.data)
    return AGPU__STARTS_EXECUTOR;
  if (mlirStringRefEqual(where, agpu__str(AGPU__START_SPAWNER)))
    return AGPU__STARTS_SPAWNER;
  return mlirStringRefEqual(where, agpu__str(AGPU__START_EITHER))
             ? AGPU__STARTS_EITHER
             : AGPU__STARTS_EXECUTOR;
}

/// A function that does what its body says at once.
static agpu__async_body make_plain(agpu__async_body body, MlirType type) {
  agpu__builder at =
      agpu__builder_at_start(agpu__entry_block(body.function),
                             mlirOperationGetLocation(body.function));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    agpu__values_push(&body.results,
                      agpu__build_value(&at, "async.runtime.create", NULL, 0,
                                        mlirFunctionTypeGetResult(type, i)));
  body.unshared = true;
  return body;
}

/// Gives a body that ends in `return` its exit.
static void build_exit(agpu__async_body *body, size_t result_count) {
  body->exit = agpu__append_block(mlirOperationGetRegion(body->function, 0));
  agpu__builder at = agpu__builder_at_end(
      body->exit, mlirOperationGetLocation(body->function));
  agpu__build_effect(&at, "func.return", body->results.data, result_count);
}

static MlirLogicalResult lower_async_function(MlirOperation async_function,
                                              bool upstream,
                                              bool has_messages) {
  agpu__start where = start_of(async_function, upstream);
  MlirType type = agpu__function_type(async_function);
  MlirOperation function = agpu__async_function_as_func(async_function);
  mlirOperationDestroy(async_function);
  if (agpu__is_declaration(function))
    return mlirLogicalResultSuccess();

  // On top of a caller that goes on, nothing is gained by looks for messages.
  bool looks = where == AGPU__STARTS_EXECUTOR || where == AGPU__STARTS_EITHER;
  agpu__coroutine self = {.body = {.function = function,
                                   .upstream = upstream,
                                   .has_messages = has_messages && looks}};
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  bool awaits = false;
  for (size_t i = 0; i < ops.count; ++i) {
    awaits |= agpu__is_await(ops.data[i]);
    if (agpu__op_is(ops.data[i], "agpu.stream_acquire"))
      self.body.stream = agpu__result(ops.data[i], 0);
  }
  bool at_once = where == AGPU__STARTS_CALLER && !upstream;
  if (at_once && !awaits) {
    self.body = make_plain(self.body, type);
    build_exit(&self.body, self.body.results.count);
  } else if (at_once && agpu__waits_for_operands(&self.body)) {
    self.body = agpu__enqueued_call_create(self.body, type);
    build_exit(&self.body, 0);
    ops.count = 0; // some are gone
    agpu__collect(self.body.function, NULL, &ops);
  } else {
    self = agpu__coroutine_create(self.body, type, where);
  }

  // From the end on: what stands behind an op moves to another block.
  MlirLogicalResult result = agpu__async_body_verify(&self.body, &ops);
  for (size_t i = ops.count; i-- > 0 && mlirLogicalResultIsSuccess(result);) {
    if (agpu__is_await(ops.data[i]))
      agpu__coroutine_await(&self, ops.data[i]);
    else if (agpu__can_end_body(ops.data[i]))
      agpu__async_body_check(&self.body, ops.data[i]);
    else if (agpu__op_is(ops.data[i], "async.return"))
      agpu__async_body_return(&self.body, ops.data[i]);
  }
  agpu__values_free(&self.body.results);
  return result;
}

//===----------------------------------------------------------------------===//
// Plain functions
//===----------------------------------------------------------------------===//

// A plain function cannot be suspended: its thread waits, and an error ends the
// program.
//
//   %x = async.await %v       "agpu.await"(%v)
//                             %x = async.runtime.load %v
//   stream_wait %s, %t        "agpu.await_enqueued"(%t); "agpu.check"(%t)
//                             "agpu.stream_depend"(%s, %t)
//   cf.assert %c, "why"       unless %c: a token, in error, and "agpu.check"
//   "agpu.propagate"(%t)      "agpu.check"(%t)

/// Waits as upstream's lowering does: an error ends the program by an
/// assertion.
static void build_upstream_await(agpu__builder *at, MlirValue object) {
  agpu__build_effect(at, "async.runtime.await", &object, 1);
  MlirType i1 = agpu__i1_type(at->context);
  MlirValue failed =
      agpu__build_unary(at, "async.runtime.is_error", object, i1);
  MlirValue fine = agpu__build_binary(at, "arith.xori", failed,
                                      agpu__build_constant(at, i1, 1));
  MlirNamedAttribute message = agpu__named(
      at->context, "msg",
      agpu__string_attr(at->context, "an awaited async object is in error"));
  agpu__build_op(at, "cf.assert", &fine, 1, (MlirType){NULL}, &message, 1);
}

static void lower_await(MlirOperation op, bool upstream) {
  agpu__builder at = agpu__builder_before(op);
  bool on_stream = agpu__op_is(op, "agpu.stream_wait");
  MlirValue object = mlirOperationGetOperand(op, on_stream ? 1 : 0);
  if (on_stream) {
    agpu__build_effect(&at, "agpu.await_enqueued", &object, 1);
    agpu__build_effect(&at, "agpu.check", &object, 1);
  } else if (upstream) {
    build_upstream_await(&at, object);
  } else {
    agpu__build_effect(&at, "agpu.await", &object, 1);
  }
  agpu__build_awaited(&at, op, object);
}

/// A failed `cf.assert` ends the program with the message that a region's would
/// have: by a token of its own.
static void lower_assert(MlirOperation op) {
  agpu__failure_check check;
  (void)agpu__split_at_failure(op, &check);
  MlirBlock error = agpu__block_after(check.before);
  agpu__builder at = agpu__builder_at_end(error, check.location);
  MlirValue token = agpu__build_failed_token(&at, check.failure);
  agpu__build_effect(&at, "agpu.check", &token, 1);
  agpu__branch(error, check.location, check.rest);
  agpu__branch_if(check.before, check.location, check.ok, check.rest, error);
}

static void lower_propagate(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue token = mlirOperationGetOperand(op, 0);
  agpu__build_effect(&at, "agpu.check", &token, 1);
  mlirOperationDestroy(op);
}

/// Replaces `op` by the op `name` with the same operands and result.
static void rename_op(MlirOperation op, const char *name) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) operands = agpu__operands(op, 0);
  MlirValue result = agpu__result(op, 0);
  MlirValue made = agpu__build_value(&at, name, operands.data, operands.count,
                                     mlirValueGetType(result));
  if (agpu__has_attr(op, AGPU__GRAPH_ATTR))
    agpu__set_attr(mlirOpResultGetOwner(made), AGPU__GRAPH_ATTR,
                   agpu__attr(op, AGPU__GRAPH_ATTR));
  mlirValueReplaceAllUsesOfWith(result, made);
  mlirOperationDestroy(op);
}

static void lower_plain_op(MlirOperation op, bool upstream) {
  if (agpu__is_await(op))
    lower_await(op, upstream);
  else if (agpu__op_is(op, "cf.assert") && !upstream &&
           agpu__op_is(mlirOperationGetParentOperation(op), "func.func"))
    lower_assert(op);
  else if (agpu__op_is(op, "agpu.propagate"))
    lower_propagate(op);
  else if (agpu__op_is(op, "async.create_group"))
    rename_op(op, "async.runtime.create_group");
  else if (agpu__op_is(op, "async.add_to_group"))
    rename_op(op, "async.runtime.add_to_group");
  else if (agpu__op_is(op, "async.call"))
    agpu__async_call_as_func_call(op);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  bool has_messages =
      !upstream && !mlirOperationIsNull(agpu__lookup(module, "agpu_mpi_start"));
  agpu__ops ops = agpu__ops_in(module, "async.func");
  for (size_t i = 0; i < ops.count; ++i)
    if (mlirLogicalResultIsFailure(
            lower_async_function(ops.data[i], upstream, has_messages)))
      result = mlirLogicalResultFailure();
  agpu__ops_free(&ops);
  if (mlirLogicalResultIsFailure(result))
    return result;

  agpu__collect(module, "func.func", &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__has_attr(ops.data[i], AGPU__FAILS_ATTR))
      agpu__lower_failing_function(ops.data[i]);
  agpu__ops_free(&ops);

  // What is left stands in plain functions, or is the same everywhere.
  agpu__collect(module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_is(ops.data[i], "async.execute"))
      result = agpu__error(mlirOperationGetLocation(ops.data[i]),
                           "async.execute must be outlined before coroutines "
                           "are made: run --async-gpu-outline first");
  for (size_t i = ops.count; i-- > 0 && mlirLogicalResultIsSuccess(result);)
    lower_plain_op(ops.data[i], upstream);
  agpu__ops_free(&ops);
  if (!upstream)
    agpu__mark_brief(module);
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_coroutines = {
    .argument = "async-gpu-coroutines",
    .summary =
        "Turn async functions into coroutines and awaits into suspensions",
    AGPU__OPTIONS(options),
    .run_with = run,
};
