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

#include "lower/convert/convert.h"

#include "lower/pass/pass.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Powers of integers
//===----------------------------------------------------------------------===//

static void expand_power(MlirOperation op) {
  AGPU__SCOPED(holes) holes = {0};
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  agpu__hole_type(&holes, "type", type);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1)
    agpu__hole(&holes, "one", "true");
  else
    agpu__hole(&holes, "one", "1 : %s", holes.data[0].text);
  const agpu__template power = {
      .file = "math.mlir", .function = "power", .holes = &holes};
  agpu__template_replace(op, &power, NULL, 0);
}

//===----------------------------------------------------------------------===//
// Powers of floats
//===----------------------------------------------------------------------===//

/// Makes `op` one of f32: rounded to fewer bits, each product would lose some.
static MlirOperation widen_float_power(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  MlirType wide = mlirF32TypeGet(at.context);
  MlirValue operands[] = {agpu__build_unary(&at, "arith.extf",
                                            mlirOperationGetOperand(op, 0),
                                            wide),
                          mlirOperationGetOperand(op, 1)};
  MlirValue power = agpu__build_value(&at, "math.fpowi", operands, 2, wide);
  agpu__replace_op_by_value(
      op, agpu__build_unary(&at, "arith.truncf", power, type));
  return mlirOpResultGetOwner(power);
}

#define INDEX_BITS 64

/// LLVM and libdevice have powers of floats to an i32 alone. True if `op` has
/// an exponent of another width, which it has no more.
static bool expand_float_power(MlirOperation op) {
  MlirValue exponent = mlirOperationGetOperand(op, 1);
  MlirType type = mlirValueGetType(exponent);
  unsigned width =
      mlirTypeIsAIndex(type) ? INDEX_BITS : mlirIntegerTypeGetWidth(type);
  if (width == 32)
    return false;
  if (width < 32) {
    agpu__builder at = agpu__builder_before(op);
    MlirType wide = mlirIntegerTypeGet(at.context, 32);
    mlirOperationSetOperand(
        op, 1, agpu__build_unary(&at, "arith.extsi", exponent, wide));
    return true;
  }
  if (mlirFloatTypeGetWidth(mlirValueGetType(agpu__result(op, 0))) < 32)
    op = widen_float_power(op);
  AGPU__SCOPED(holes) holes = {0};
  agpu__hole_type(&holes, "type", type);
  agpu__hole(&holes, "one", "1 : %s", holes.data[0].text);
  agpu__hole_type(&holes, "float", mlirValueGetType(agpu__result(op, 0)));
  const agpu__template power = {
      .file = "math.mlir", .function = "float_power", .holes = &holes};
  agpu__template_replace(op, &power, NULL, 0);
  return true;
}

//===----------------------------------------------------------------------===//
// Powers of vectors
//===----------------------------------------------------------------------===//

static bool expand_scalar_power(MlirOperation op) {
  if (agpu__op_is(op, "math.fpowi"))
    return expand_float_power(op);
  expand_power(op);
  return true;
}

/// Makes `op`, of two vectors, one of each two of their elements.
static void expand_vector_power(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  intptr_t rank = mlirShapedTypeGetRank(type);
  AGPU__OWNED int64_t *position =
      agpu__allocate((size_t)rank + 1, sizeof(*position));
  int64_t count = 1;
  for (intptr_t i = 0; i < rank; ++i)
    count *= mlirShapedTypeGetDimSize(type, i);
  AGPU__SCOPED(values) powers = {0};
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (intptr_t k = rank; k-- > 0; rest /= mlirShapedTypeGetDimSize(type, k))
      position[k] = rest % mlirShapedTypeGetDimSize(type, k);
    MlirValue operands[2];
    for (intptr_t n = 0; n < 2; ++n) {
      operands[n] = mlirOperationGetOperand(op, n);
      operands[n] = agpu__build_with(
          &at, "vector.extract", &operands[n], 1,
          mlirShapedTypeGetElementType(mlirValueGetType(operands[n])),
          "static_position", mlirDenseI64ArrayGet(at.context, rank, position));
    }
    agpu__values_push(&powers,
                      agpu__build_value(&at, agpu__op_name(op).data, operands,
                                        2, mlirShapedTypeGetElementType(type)));
  }
  agpu__replace_op_by_value(op,
                            agpu__build_value(&at, "vector.from_elements",
                                              powers.data, powers.count, type));
  for (size_t i = 0; i < powers.count; ++i)
    expand_scalar_power(mlirOpResultGetOwner(powers.data[i]));
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
  agpu__replace_op_by_value(
      op, agpu__build_with(&at, "llvm.intr.is.fpclass", &value, 1,
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
  for (size_t i = 0; i < AGPU__COUNT(classes); ++i)
    if (simple && agpu__op_is(op, classes[i].op)) {
      expand_class(op, classes[i].bits);
      return true;
    }
  bool power = agpu__op_is(op, "math.fpowi") || agpu__op_is(op, "math.ipowi");
  if (power && !mlirTypeIsAVector(type))
    return expand_scalar_power(op);
  if (power && !mlirVectorTypeIsScalable(type))
    expand_vector_power(op);
  else if (mlirTypeIsAVector(type) && agpu__op_is(op, "math.sincos"))
    expand_sine_and_cosine(op);
  else
    return false;
  return true;
}

bool agpu__expand_math(MlirOperation root) {
  bool any = false;
  AGPU__OPS_IN_FOREACH (op, root, NULL)
    any |= expand_op(op);
  return any;
}

static MlirLogicalResult run(MlirOperation module) {
  agpu__expand_math(module);
  agpu__expand_small_conversions(module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_expand_math = {
    .argument = "async-gpu-expand-math",
    .summary = "Expand math and small floats that upstream cannot convert",
    .run = run,
};
