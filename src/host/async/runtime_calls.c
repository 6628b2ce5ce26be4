//===- runtime_calls.c - Async ops become runtime calls -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-runtime-calls`: every op of the dialects async and agpu
// that is left becomes a call of the runtime or an LLVM coroutine intrinsic,
// and every type of theirs a pointer or an LLVM token.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"
#include "host/passes.h"
#include "lower/dialect/attributes.h"

//===----------------------------------------------------------------------===//
// Which runtime function
//===----------------------------------------------------------------------===//

/// Ops with one function for each kind of object, and the op's operands as its
/// arguments. NULL: the op is not allowed on that kind.
typedef struct per_kind {
  const char *op;
  const char *on_token, *on_value, *on_group;
} per_kind;

static const per_kind per_kind_calls[] = {
    {"async.runtime.set_available", "mlirAsyncRuntimeEmplaceToken",
     "mlirAsyncRuntimeEmplaceValue", NULL},
    {"async.runtime.set_error", "mlirAsyncRuntimeSetTokenError",
     "mlirAsyncRuntimeSetValueError", NULL},
    {"async.runtime.is_error", "mlirAsyncRuntimeIsTokenError",
     "mlirAsyncRuntimeIsValueError", "mlirAsyncRuntimeIsGroupError"},
    {"async.runtime.await", "mlirAsyncRuntimeAwaitToken",
     "mlirAsyncRuntimeAwaitValue", "mlirAsyncRuntimeAwaitAllInGroup"},
    {"async.runtime.await_and_resume", "mlirAsyncRuntimeAwaitTokenAndExecute",
     "mlirAsyncRuntimeAwaitValueAndExecute",
     "mlirAsyncRuntimeAwaitAllInGroupAndExecute"},
};

static const char *pick(const per_kind *row, MlirType type) {
  if (agpu__type_is_token(type))
    return row->on_token;
  return mlirTypeIsNull(agpu__async_value_payload(type)) ? row->on_group
                                                         : row->on_value;
}

/// Ops with one function for all kinds.
static const struct {
  const char *op, *function;
  bool with_location; ///< a location string follows the operands
} plain_calls[] = {
    {"agpu.forward_error", "agpu_object_forward_error", false},
    {"agpu.set_available_last", "agpu_object_emplace_last", false},
    {"agpu.check", "agpu_object_check", true},
    {"agpu.await", "agpu_object_await", true},
    {"agpu.await_either", "agpu_object_await_either", true},
    {"agpu.is_enqueued", "agpu_object_is_enqueued", false},
    {"agpu.is_ready_soon", "agpu_mpi_is_ready_soon", false},
    {"agpu.has_failed", "agpu_object_has_failed", false}, // of a group
    {"agpu.await_enqueued", "agpu_object_await_enqueued", false},
    {"agpu.start_here", "agpu_start_here", false},
    {"agpu.started_here", "agpu_started_here", false},
    {"agpu.throttle", "agpu_throttle", false},
};

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

static bool lower_from_tables(agpu__lowering *self) {
  for (size_t i = 0; i < AGPU__COUNT(plain_calls); ++i) {
    if (!agpu__op_is(self->op, plain_calls[i].op))
      continue;
    MlirValue second = plain_calls[i].with_location
                           ? agpu__location_constant(&self->at, self->module)
                       : mlirOperationGetNumOperands(self->op) > 1
                           ? agpu__operand(self, 1)
                           : NONE;
    MlirValue first = mlirOperationGetNumOperands(self->op) > 0
                          ? agpu__operand(self, 0)
                          : NONE;
    agpu__replace(self, agpu__call(self, plain_calls[i].function, first, second,
                                   NONE, agpu__result_type(self->op)));
    return true;
  }
  for (size_t i = 0; i < AGPU__COUNT(per_kind_calls); ++i) {
    if (!agpu__op_is(self->op, per_kind_calls[i].op))
      continue;
    const char *function =
        pick(&per_kind_calls[i], mlirValueGetType(agpu__operand(self, 0)));
    if (!function)
      return false;
    bool suspends = mlirOperationGetNumOperands(self->op) == 2;
    agpu__replace(self,
                  agpu__call(self, function, agpu__operand(self, 0),
                             suspends ? agpu__operand(self, 1) : NONE,
                             suspends ? agpu__resume_function(self) : NONE,
                             agpu__result_type(self->op)));
    return true;
  }
  return false;
}

static MlirLogicalResult lower(agpu__lowering *self) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (agpu__lower_object_op(self, &result) || agpu__lower_coroutine_op(self) ||
      lower_from_tables(self))
    return result;
  if (agpu__op_is(self->op, "async.runtime.num_worker_threads")) {
    MlirValue count =
        agpu__call(self, "mlirAsyncRuntimGetNumWorkerThreads", NONE, NONE, NONE,
                   agpu__i64_type(self->at.context));
    agpu__replace(self, agpu__build_unary(&self->at, "arith.index_cast", count,
                                          agpu__index_type(self->at.context)));
    return result;
  }
  MlirStringRef name = agpu__op_name(self->op);
  return agpu__error(self->at.location,
                     "%.*s cannot be lowered to runtime calls here: run the "
                     "earlier passes of --async-gpu-lower first",
                     AGPU__STR(name));
}

/// The calls that wait for operands, which stand beside the ops of the
/// dialects.
static void lower_enqueued_calls(MlirOperation module) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  AGPU__OPS_IN_FOREACH (nested, module, "func.call")
    if (agpu__has_attr(nested, AGPU__AWAITED_ATTR))
      agpu__enqueued_call_lower(module, symbols, nested);
  mlirSymbolTableDestroy(symbols);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  if (agpu__pass_value_bool(values, "trace"))
    agpu__set_attr(module, AGPU__TRACE_ATTR,
                   mlirUnitAttrGet(mlirOperationGetContext(module)));
  agpu__frame_owner owner = {{NULL}, {NULL}};
  AGPU__SCOPED(ops) drops = agpu__ops_in(module, "async.runtime.drop_ref");
  // From the end on: what stands behind an op moves to another block.
  for (size_t i = drops.count; i-- > 0;) {
    agpu__lowering self = {module, drops.data[i],
                           agpu__builder_before(drops.data[i]), upstream,
                           &owner};
    agpu__skip_ready_token(&self);
  }
  AGPU__OPS_IN_FOREACH (op, module, NULL) {
    if (!agpu__op_in_dialect(op, "async") && !agpu__op_in_dialect(op, "agpu"))
      continue;
    agpu__lowering self = {module, op, agpu__builder_before(op), upstream,
                           &owner};
    if (mlirLogicalResultIsFailure(lower(&self)))
      result = mlirLogicalResultFailure();
  }
  lower_enqueued_calls(module);
  if (mlirLogicalResultIsSuccess(result))
    agpu__convert_object_types(module);
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__ABI_OPTION,
    {"trace", AGPU_OPTION_BOOL, "false",
     "Have regions that run in place, and are no task, tell traces of it."},
};

const agpu_pass agpu__pass_runtime_calls = {
    .argument = "async-gpu-runtime-calls",
    .summary = "Turn async ops and types into runtime calls and LLVM types",
    AGPU__OPTIONS(options),
    .run_with = run,
};
