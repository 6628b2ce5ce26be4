//===- non_blocking.c - Functions that do not block -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-non-blocking`.
//
// A plain function that awaits blocks its caller, even where the caller could
// suspend. On request such a function gets an asynchronous twin; so do the
// functions that call it, and their callers. Calls in regions and async
// functions then spawn the twin and await it, and suspend there. The function
// itself stays, as a call of its twin and a blocking await, for callers that
// cannot suspend.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

#include <stdlib.h>

#define TWIN_SUFFIX ".async"

static bool has_body(MlirOperation function) {
  return !mlirBlockIsNull(agpu__entry_block(function));
}

/// True if `op` stands in an async.execute region or an async function.
static bool can_suspend(MlirOperation op) {
  for (MlirOperation parent = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(parent);
       parent = mlirOperationGetParentOperation(parent))
    if (agpu__op_is_any(parent, "async.execute async.func"))
      return true;
  return false;
}

/// The functions asked for.
static void add_wanted(MlirOperation module, bool all, agpu__op_set *selected) {
  AGPU__SCOPED(ops) found = agpu__ops_in(module, "func.func"), awaits = {0};
  for (size_t i = 0; i < found.count; ++i) {
    bool wanted = agpu__has_attr(found.data[i], AGPU__NON_BLOCKING);
    if (all && !wanted) {
      awaits.count = 0;
      agpu__collect(found.data[i], "async.await", &awaits);
      agpu__collect(found.data[i], "async.await_all", &awaits);
      for (size_t k = 0; k < awaits.count; ++k)
        wanted |= !can_suspend(awaits.data[k]);
    }
    if (wanted && has_body(found.data[i]))
      agpu__op_set_add(selected, found.data[i]);
  }
}

/// And all that call one of them outside of regions.
static void add_callers(MlirOperation module, MlirSymbolTable symbols,
                        agpu__op_set *selected) {
  AGPU__SCOPED(op_lists) by_callee = {0};
  AGPU__OPS_IN_FOREACH (op, module, "func.call") {
    MlirOperation callee = agpu__find_callee(symbols, op);
    if (!mlirOperationIsNull(callee) && !can_suspend(op))
      agpu__op_lists_add(&by_callee, callee.ptr, op);
  }
  for (size_t i = 0; i < selected->all.count; ++i) {
    agpu__ops of = agpu__op_lists_get(&by_callee, selected->all.data[i].ptr);
    for (size_t k = 0; k < of.count; ++k) {
      MlirOperation caller = agpu__parent_of(of.data[k], "func.func");
      if (!mlirOperationIsNull(caller))
        agpu__op_set_add(selected, caller);
    }
  }
}

//===----------------------------------------------------------------------===//
// Twins
//===----------------------------------------------------------------------===//

static char *twin_name(MlirOperation function) {
  MlirStringRef name = agpu__get_string(function, "sym_name");
  return agpu__format("%.*s" TWIN_SUFFIX, AGPU__STR(name));
}

/// Replaces `op` (a call of a function, or nothing but a place) by a call of
/// the twin and awaits; `out_values` are what the function returns.
static void build_call_and_awaits(agpu__builder *at, MlirOperation function,
                                  const MlirValue *operands,
                                  size_t operand_count,
                                  agpu__values *out_values) {
  size_t count;
  AGPU__OWNED MlirType *types =
      agpu__region_types(agpu__function_type(function), &count);
  AGPU__OWNED char *name = twin_name(function);
  MlirOperation call = agpu__build_call_of(
      at, "async.call", agpu__symbol_attr(at->context, name), operands,
      operand_count, types, count);
  MlirValue token = agpu__result(call, 0);
  agpu__build_effect(at, "async.await", &token, 1);
  for (size_t i = 1; i < count; ++i) {
    MlirValue value = agpu__result(call, (intptr_t)i);
    MlirOperation await =
        agpu__build_op(at, "async.await", &value, 1,
                       agpu__async_value_payload(types[i]), NULL, 0);
    agpu__values_push(out_values, agpu__result(await, 0));
  }
}

/// Moves the body into a new async function and leaves a call of it.
static MlirLogicalResult build_twin(MlirOperation module,
                                    MlirSymbolTable symbols,
                                    MlirOperation function) {
  MlirContext context = mlirOperationGetContext(module);
  MlirLocation location = mlirOperationGetLocation(function);
  MlirType type = agpu__function_type(function);
  AGPU__OWNED char *name = twin_name(function);
  if (!mlirOperationIsNull(mlirSymbolTableLookup(symbols, agpu__str(name)))) {
    return agpu__error(
        location,
        "cannot make this function non-blocking: the module has a "
        "function '%s' already",
        name);
  }
  size_t result_count;
  AGPU__OWNED MlirType *results = agpu__region_types(type, &result_count);
  intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *inputs = agpu__function_inputs(type);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(
          context, "function_type",
          mlirTypeAttrGet(mlirFunctionTypeGet(
              context, input_count, inputs, (intptr_t)result_count, results))),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
  };
  MlirRegion region = mlirRegionCreate();
  agpu__builder at = agpu__builder_after(function);
  agpu__op_spec spec = {.name = "async.func",
                        .location = location,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation twin = agpu__build(&at, &spec);
  mlirRegionTakeBody(mlirOperationGetRegion(twin, 0),
                     mlirOperationGetRegion(function, 0));
  AGPU__OPS_IN_FOREACH (nested, twin, "func.return") {
    AGPU__SCOPED(values) operands = agpu__operands(nested, 0);
    at = agpu__builder_before(nested);
    agpu__build_effect(&at, "async.return", operands.data, operands.count);
    mlirOperationDestroy(nested);
  }

  // What is left of the function: call, await, return.
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(function, 0));
  AGPU__SCOPED(values) arguments = {0}, values = {0};
  for (intptr_t i = 0; i < input_count; ++i)
    agpu__values_push(&arguments,
                      mlirBlockAddArgument(block, inputs[i], location));
  at = agpu__builder_at_end(block, location);
  build_call_and_awaits(&at, function, arguments.data, arguments.count,
                        &values);
  agpu__build_effect(&at, "func.return", values.data, values.count);
  agpu__remove_attr(function, AGPU__NON_BLOCKING);
  return mlirLogicalResultSuccess();
}

static void redirect_call(MlirOperation function, MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  AGPU__SCOPED(values) operands = agpu__operands(call, 0), values = {0};
  build_call_and_awaits(&at, function, operands.data, operands.count, &values);
  agpu__replace_op(call, values.data);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  AGPU__SCOPED(op_set) selected = {{0}, {0}};
  AGPU__SCOPED(ops) calls = {0};
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  add_wanted(module, agpu__pass_value_bool(values, "all"), &selected);
  add_callers(module, symbols, &selected);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < selected.all.count; ++i)
    if (mlirLogicalResultIsFailure(
            build_twin(module, symbols, selected.all.data[i])))
      result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result) && selected.all.count) {
    agpu__collect(module, "func.call", &calls);
    for (size_t i = 0; i < calls.count; ++i) {
      MlirOperation callee = agpu__find_callee(symbols, calls.data[i]);
      if (!mlirOperationIsNull(callee) && agpu__op_set_has(&selected, callee) &&
          can_suspend(calls.data[i]))
        redirect_call(callee, calls.data[i]);
    }
  }
  mlirSymbolTableDestroy(symbols);
  return result;
}

static const agpu_pass_option options[] = {
    {"all", AGPU_OPTION_BOOL, "false",
     "Every function that awaits, not only those with the attribute."},
};

const agpu_pass agpu__pass_non_blocking = {
    .argument = "async-gpu-non-blocking",
    .summary = "Give functions that await an asynchronous twin",
    AGPU__OPTIONS(options),
    .run_with = run,
};
