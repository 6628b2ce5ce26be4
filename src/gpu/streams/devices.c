//===- devices.c - Bodies get devices -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-devices`. A stream is acquired on the thread's default
// device, and a region runs on whatever threads it is started and resumed on:
// so what is the program's order is put into its code. Programs that choose no
// device are left as they are.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

static bool chooses_devices(MlirOperation module) {
  AGPU__SCOPED(ops) all = agpu__ops_in(module, NULL);
  bool chooses = agpu__sets_default_device(module);
  for (size_t i = 0; i < all.count && !chooses; ++i)
    chooses = agpu__has_attr(all.data[i], AGPU__DEVICE_ATTR);
  return chooses;
}

static MlirValue build_default(agpu__builder *at) {
  return agpu__build_value(at, "agpu.default_device", NULL, 0,
                           agpu__i32_type(at->context));
}

static void build_enter(agpu__builder *at, MlirValue device) {
  agpu__build_effect(at, "agpu.enter_device", &device, 1);
}

static MlirValue build_number(agpu__builder *at, int32_t number) {
  return agpu__build_with(at, "arith.constant", NULL, 0,
                          agpu__i32_type(at->context), "value",
                          agpu__i32_attr(at->context, number));
}

static MlirBlock entry_of(MlirOperation function) {
  return agpu__entry_block(function);
}

//===----------------------------------------------------------------------===//
// Where a body starts and ends
//===----------------------------------------------------------------------===//

/// One more argument after the others: the spawner's default device.
static MlirValue add_argument(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirStringRef name = agpu__str("function_type");
  MlirType type =
      mlirTypeAttrGetValue(mlirOperationGetAttributeByName(function, name));
  MlirType i32 = agpu__i32_type(context);
  mlirOperationSetAttributeByName(
      function, name,
      mlirTypeAttrGet(agpu__function_type_add(type, i32, false)));
  return mlirBlockAddArgument(entry_of(function), i32,
                              mlirOperationGetLocation(function));
}

/// Enters the body's device where it starts. A plain function leaves it again
/// where it returns; a region or async function is left by what has started
/// it (restore_after).
static void enter(MlirOperation function) {
  agpu__builder at = agpu__builder_at_start(entry_of(function),
                                            mlirOperationGetLocation(function));
  int32_t number = agpu__named_device(function);
  if (number < 0) {
    // A region has one call, which passes the default on; functions that the
    // user wrote run with their callers'.
    if (agpu__has_attr(function, AGPU__KIND_ATTR))
      build_enter(&at, add_argument(function));
    return;
  }
  if (!agpu__op_is(function, "func.func")) {
    build_enter(&at, build_number(&at, number));
    return;
  }
  MlirValue outer = build_default(&at);
  build_enter(&at, build_number(&at, number));
  AGPU__OPS_IN_FOREACH (nested, function, "func.return") {
    at = agpu__builder_before(nested);
    build_enter(&at, outer);
  }
}

//===----------------------------------------------------------------------===//
// Where a body goes on
//===----------------------------------------------------------------------===//

/// After `op` the thread is another one, or has run another body's start: the
/// default is what it was before `op`.
static void restore_after(MlirOperation op) {
  agpu__builder before = agpu__builder_before(op);
  agpu__builder after = agpu__builder_after(op);
  build_enter(&after, build_default(&before));
}

/// Gives the call of a region an operand for its device.
static void pass_device(MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  MlirValue device = build_default(&at);
  agpu__insert_operands(call, mlirOperationGetNumOperands(call), &device, 1,
                        -1);
}

/// True if the callee has one argument more than the call has operands.
static bool lacks_device(MlirSymbolTable symbols, MlirOperation call) {
  MlirOperation function = agpu__find_callee(symbols, call);
  if (mlirOperationIsNull(function))
    return false;
  MlirType type = agpu__function_type(function);
  return mlirFunctionTypeGetNumInputs(type) ==
         mlirOperationGetNumOperands(call) + 1;
}

static void keep_device(MlirSymbolTable symbols, MlirOperation function) {
  bool suspends = agpu__op_is(function, "async.func");
  AGPU__OPS_IN_FOREACH (op, function, NULL) {
    bool calls = agpu__op_is(op, "async.call");
    if (calls && lacks_device(symbols, op))
      pass_device(op);
    if (calls ||
        (suspends &&
         (agpu__op_is_any(op, "async.await async.await_all agpu.stream_wait"))))
      restore_after(op);
  }
}

static MlirLogicalResult run(MlirOperation module) {
  if (!chooses_devices(module))
    return mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) functions = {0};
  MlirBlock body = agpu__module_body(module);
  AGPU__OPS_FOREACH (op, body)
    if (agpu__is_body(op) && !mlirBlockIsNull(entry_of(op)))
      agpu__ops_push(&functions, op);
  for (size_t i = 0; i < functions.count; ++i)
    enter(functions.data[i]);
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  for (size_t i = 0; i < functions.count; ++i) {
    keep_device(symbols, functions.data[i]);
    agpu__remove_attr(functions.data[i], AGPU__DEVICE_ATTR);
  }
  mlirSymbolTableDestroy(symbols);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_devices = {
    .argument = "async-gpu-devices",
    .summary = "Keep choices of a device in the order of the program",
    .run = run,
};
