//===- plain_awaits.c - Async ops of plain functions ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain function cannot be suspended: its thread waits, and an error ends the
// program.
//
//   %x = async.await %v       "agpu.await"(%v)
//                             %x = async.runtime.load %v
//   stream_wait %s, %t        "agpu.await_enqueued"(%t); "agpu.check"(%t)
//                             "agpu.stream_depend"(%s, %t)
//   cf.assert %c, "why"       unless %c: a token, in error, and "agpu.check"
//
//===----------------------------------------------------------------------===//

#include "host/async/plain_awaits.h"

#include "host/async/async_body.h"
#include "host/async/async_functions.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"

/// Waits as upstream's lowering does: an error ends the program by an
/// assertion.
static void build_upstream_await(agpu__builder *at, MlirValue object) {
  agpu__build_effect(at, "async.runtime.await", &object, 1);
  MlirType i1 = agpu__i1_type(at->context);
  MlirValue failed =
      agpu__build_value(at, "async.runtime.is_error", &object, 1, i1);
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
  MlirLocation location = mlirOperationGetLocation(op);
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(op);
  MlirBlock error = agpu__block_after(before);
  agpu__builder at = agpu__builder_at_end(error, location);
  MlirValue token = agpu__build_failed_token(&at, agpu__attr(op, "msg"));
  agpu__build_effect(&at, "agpu.check", &token, 1);
  agpu__branch(error, location, rest);
  agpu__branch_if(before, location, mlirOperationGetOperand(op, 0), rest,
                  error);
  mlirOperationDestroy(op);
}

/// Replaces `op` by the op `name` with the same operands and result.
static void rename_op(MlirOperation op, const char *name) {
  agpu__builder at = agpu__builder_before(op);
  agpu__values operands = agpu__operands(op, 0);
  MlirValue result = agpu__result(op, 0);
  mlirValueReplaceAllUsesOfWith(
      result, agpu__build_value(&at, name, operands.data, operands.count,
                                mlirValueGetType(result)));
  mlirOperationDestroy(op);
  agpu__values_free(&operands);
}

void agpu__lower_plain_op(MlirOperation op, bool upstream) {
  if (agpu__is_await(op))
    lower_await(op, upstream);
  else if (agpu__op_is(op, "cf.assert") && !upstream &&
           agpu__op_is(mlirOperationGetParentOperation(op), "func.func"))
    lower_assert(op);
  else if (agpu__op_is(op, "async.create_group"))
    rename_op(op, "async.runtime.create_group");
  else if (agpu__op_is(op, "async.add_to_group"))
    rename_op(op, "async.runtime.add_to_group");
  else if (agpu__op_is(op, "async.call"))
    agpu__async_call_as_func_call(op);
}
