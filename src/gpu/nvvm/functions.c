//===- functions.c - Math functions without a library ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The errors that docs/kernels.md states are those of these formulas with what
// PTX says of ex2.approx (2 units in the last place) and lg2.approx (2^-22.6
// absolute near 1).
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include <stdlib.h>

/// Each is the template of this name.
static const char *const functions[] = {
    "math.exp",   "math.sinh",  "math.cosh",  "math.tanh",
    "math.asinh", "math.acosh", "math.atanh", "math.tan",
};

/// Computes in f32, whatever the op's own type is.
static bool expand(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool vector = mlirTypeIsAVector(type);
  MlirType element = vector ? mlirShapedTypeGetElementType(type) : type;
  bool narrow = mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
  if ((!narrow && !mlirTypeIsAF32(element)) ||
      (vector &&
       (mlirShapedTypeGetRank(type) != 1 || mlirVectorTypeIsScalable(type))))
    return false;
  agpu__builder at = agpu__builder_before(op);
  int64_t size = vector ? mlirShapedTypeGetDimSize(type, 0) : 0;
  MlirType wide = mlirF32TypeGet(at.context), flags = {NULL};
  if (vector) {
    wide = mlirVectorTypeGet(1, &size, wide);
    flags = mlirVectorTypeGet(1, &size, agpu__i1_type(at.context));
  }
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole_type(&holes, "type", wide);
  agpu__hole(&holes, "<", "%s", vector ? "dense<" : "");
  agpu__hole(&holes, ">", "%s", vector ? ">" : "");
  AGPU__OWNED char *select = agpu__type_text(vector ? flags : wide);
  agpu__hole(&holes, "select", "%s%s%s", select, vector ? ", " : "",
             vector ? holes.data[0].text : "");
  MlirValue value = mlirOperationGetOperand(op, 0);
  if (narrow)
    value = agpu__build_unary(&at, "arith.extf", value, wide);
  const agpu__template formula = {.file = "functions.mlir",
                                  .function =
                                      agpu__op_name(op).data + strlen("math."),
                                  .holes = &holes};
  agpu__template_build(&at, &formula, &value, &value);
  if (narrow)
    value = agpu__build_unary(&at, "arith.truncf", value, type);
  agpu__replace_op_by_value(op, value);
  return true;
}

bool agpu__expand_functions(MlirOperation gpu_module) {
  bool any = false;
  for (size_t i = 0; i < AGPU__COUNT(functions); ++i) {
    AGPU__OPS_IN_FOREACH (op, gpu_module, functions[i])
      any |= expand(op);
  }
  return any;
}
