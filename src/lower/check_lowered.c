//===- check_lowered.c - Nothing is left behind -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-check-lowered`.
//
//===----------------------------------------------------------------------===//

#include "lower/ir.h"
#include "lower/pass.h"
#include "lower/text.h"

/// An operation that no pass lowered, at its place in the source.
static MlirLogicalResult report(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (agpu__op_is(op, "builtin.unrealized_conversion_cast")) {
    agpu__text text = {0};
    if (mlirOperationGetNumOperands(op) > 0)
      mlirTypePrint(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                    agpu__text_callback, &text);
    MlirLogicalResult result = agpu__error(
        location, "a value of type %s cannot be lowered to the LLVM dialect",
        agpu__text_get(&text));
    agpu__text_free(&text);
    return result;
  }
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return agpu__error(location,
                     "%.*s is not lowered by async-gpu yet, nor by upstream's "
                     "conversions: lower it before this pipeline",
                     (int)name.length, name.data);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops ops = {0};
  agpu__collect(module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i)
    if (!agpu__op_in_dialect(ops.data[i], "llvm") &&
        !agpu__op_is(ops.data[i], "builtin.module"))
      result = report(ops.data[i]);
  agpu__ops_free(&ops);
  return result;
}

const agpu_pass agpu__pass_check_lowered = {
    .argument = "async-gpu-check-lowered",
    .summary = "Report every op that is not in the LLVM dialect",
    .description =
        "The last step of the pipeline: an op or a cast that no pass has "
        "lowered is an error at its place in the source.",
    .run = run,
};
