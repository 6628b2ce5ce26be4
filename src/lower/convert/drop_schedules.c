//===- drop_schedules.c - Schedules that were applied ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-drop-schedules`: takes away what a program of the
// transform dialect has been scheduled with, once that has been applied.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#define SCHEDULE "transform.with_named_sequence"

/// A module of schedules alone, in another one.
static bool is_library(MlirOperation op) {
  if (!agpu__op_is(op, "builtin.module") || !agpu__has_attr(op, SCHEDULE))
    return false;
  AGPU__OPS_FOREACH (inner, agpu__module_body(op))
    if (!agpu__op_in_dialect(inner, "transform"))
      return false;
  return true;
}

static MlirLogicalResult run(MlirOperation module) {
  for (MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module)),
                     next;
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (agpu__op_in_dialect(op, "transform") || is_library(op))
      mlirOperationDestroy(op);
  }
  agpu__remove_attr(module, SCHEDULE);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_drop_schedules = {
    .argument = "async-gpu-drop-schedules",
    .summary = "Remove schedules of the transform dialect",
    .run = run,
};
