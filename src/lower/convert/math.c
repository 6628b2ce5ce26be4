//===- math.c - Math that upstream's conversions leave --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-expand-math`: math ops for which upstream has no
// conversion become others for which it has one. Kernels and host code share
// it.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/math.h"

#include "lower/convert/small_conversions.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Powers of integers
//===----------------------------------------------------------------------===//

static void replace(MlirOperation op, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), value);
  mlirOperationDestroy(op);
}

/// Element by element for vectors.
static void expand_power(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool is_vector = mlirTypeIsAVector(type);
  MlirType element = is_vector ? mlirShapedTypeGetElementType(type) : type;
  agpu__holes holes = {0};
  agpu__hole_type(&holes, "type", element);
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 1)
    agpu__hole(&holes, "one", "true");
  else
    agpu__hole(&holes, "one", "1 : %s", holes.data[0].text);
  const agpu__template power = {
      .file = "math.mlir", .function = "power", .holes = &holes};
  agpu__values powers = {0};
  int64_t count = is_vector ? mlirShapedTypeGetDimSize(type, 0) : 1;
  for (int64_t i = 0; i < count; ++i) {
    MlirValue operands[2];
    for (intptr_t n = 0; n < 2; ++n) {
      operands[n] = mlirOperationGetOperand(op, n);
      if (is_vector)
        operands[n] = agpu__build_with(&at, "vector.extract", &operands[n], 1,
                                       element, "static_position",
                                       mlirDenseI64ArrayGet(at.context, 1, &i));
    }
    agpu__template_build(&at, &power, operands, operands);
    agpu__values_push(&powers, operands[0]);
  }
  replace(op, is_vector ? agpu__build_value(&at, "vector.from_elements",
                                            powers.data, powers.count, type)
                        : powers.data[0]);
  agpu__values_free(&powers);
  agpu__holes_free(&holes);
}

//===----------------------------------------------------------------------===//
// Classes, sines and cosines
//===----------------------------------------------------------------------===//

/// Classes of numbers, as LLVM's bits.
static const struct {
  const char *op;
  int bits;
} classes[] = {
    {"math.isnan", 0x003},
    {"math.isinf", 0x204},
    {"math.isfinite", 0x1f8},
    {"math.isnormal", 0x108},
};

static void expand_class(MlirOperation op, int bits) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue value = mlirOperationGetOperand(op, 0);
  replace(op, agpu__build_with(&at, "llvm.intr.is.fpclass", &value, 1,
                               mlirValueGetType(agpu__result(op, 0)), "bit",
                               agpu__i32_attr(at.context, bits)));
}

static void expand_sine_and_cosine(MlirOperation op) {
  static const char *const names[] = {"math.sin", "math.cos"};
  agpu__builder at = agpu__builder_before(op);
  MlirValue value = mlirOperationGetOperand(op, 0);
  for (intptr_t i = 0; i < 2; ++i)
    mlirValueReplaceAllUsesOfWith(
        agpu__result(op, i),
        agpu__build_unary(&at, names[i], value, mlirValueGetType(value)));
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// LLVM's vectors have one dimension.
static bool is_scalar_or_row(MlirType type) {
  return !mlirTypeIsAVector(type) ||
         (mlirShapedTypeGetRank(type) == 1 && !mlirVectorTypeIsScalable(type));
}

static bool expand_op(MlirOperation op) {
  if (!agpu__op_in_dialect(op, "math"))
    return false;
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  bool simple = is_scalar_or_row(type);
  for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i)
    if (simple && agpu__op_is(op, classes[i].op)) {
      expand_class(op, classes[i].bits);
      return true;
    }
  if (simple && agpu__op_is(op, "math.ipowi"))
    expand_power(op);
  else if (mlirTypeIsAVector(type) && agpu__op_is(op, "math.sincos"))
    expand_sine_and_cosine(op);
  else
    return false;
  return true;
}

bool agpu__expand_math(MlirOperation root) {
  agpu__ops ops = agpu__ops_in(root, NULL);
  bool any = false;
  for (size_t i = 0; i < ops.count; ++i)
    any |= expand_op(ops.data[i]);
  agpu__ops_free(&ops);
  return any;
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  agpu__expand_math(module);
  agpu__expand_small_conversions(module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_expand_math = {
    .argument = "async-gpu-expand-math",
    .summary = "Expand math and small floats that upstream cannot convert",
    .run = run,
};
