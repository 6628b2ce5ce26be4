//===- bodies.c - Host code that may hold GPU ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies nest: an `async.execute` stands in another or in a function. Code
// belongs to the innermost one around it.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

const char *agpu__body_kind_name(agpu__body_kind kind) {
  static const char *const names[] = {AGPU__KIND_HOST, AGPU__KIND_DEVICE,
                                      AGPU__KIND_MIXED};
  return names[kind];
}

bool agpu__is_body(MlirOperation op) {
  return agpu__op_is(op, "async.execute") || agpu__op_is(op, "async.func") ||
         agpu__op_is(op, "func.func");
}

MlirOperation agpu__body_of(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !agpu__is_body(op));
  return op;
}
