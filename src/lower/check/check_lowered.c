//===- check_lowered.c - Nothing is left behind -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-check-lowered`. Casts alone are errors only where no op
// is left: they lead to and from those.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// The type of the first operand or result. The caller frees it.
static char *first_type(MlirOperation cast, bool is_result) {
  intptr_t count = is_result ? mlirOperationGetNumResults(cast)
                             : mlirOperationGetNumOperands(cast);
  if (!count)
    return agpu__format("%s", "");
  return agpu__type_text(mlirValueGetType(
      is_result ? agpu__result(cast, 0) : mlirOperationGetOperand(cast, 0)));
}

static void report_cast(MlirOperation cast) {
  char *from = first_type(cast, false), *to = first_type(cast, true);
  agpu__error(mlirOperationGetLocation(cast),
              "a cast from %s to %s cannot be lowered to the LLVM dialect",
              from, to);
  free(from);
  free(to);
}

static void report_op(MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  agpu__error(mlirOperationGetLocation(op),
              "%.*s is not lowered by async-gpu, nor by those of upstream's "
              "conversions that it runs: lower it before this pipeline",
              AGPU__STR(name));
}

typedef struct findings {
  size_t unlowered; ///< ops reported
  agpu__ops casts;
} findings;

static MlirWalkResult visit(MlirOperation op, void *data) {
  findings *found = data;
  if (agpu__op_in_dialect(op, "llvm") || agpu__op_is(op, "builtin.module"))
    return MlirWalkResultAdvance;
  if (agpu__op_is(op, "builtin.unrealized_conversion_cast")) {
    agpu__ops_push(&found->casts, op);
    return MlirWalkResultAdvance;
  }
  report_op(op);
  ++found->unlowered;
  // What it holds waits for it.
  return MlirWalkResultSkip;
}

static MlirLogicalResult run(MlirOperation module) {
  findings found = {0};
  mlirOperationWalk(module, visit, &found, MlirWalkPreOrder);
  // Casts lead to and from the ops reported; on their own they say what fails.
  for (size_t i = 0; !found.unlowered && i < found.casts.count; ++i)
    report_cast(found.casts.data[i]);
  agpu__remove_attr(module, AGPU__ABI_ATTR);
  bool ok = !found.unlowered && !found.casts.count;
  agpu__ops_free(&found.casts);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

const agpu_pass agpu__pass_check_lowered = {
    .argument = "async-gpu-check-lowered",
    .summary = "Report every op that is not in the LLVM dialect",
    .run = run,
};
