//===- small_conversions.c - arith of floats of 8, 6 and 4 bits -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions that upstream has no lowering for go by f32, which has every
// number of the small formats. They round to the nearest, of two as near to the
// even one; what is too large becomes infinity, NaN where there is none, or the
// largest number where there is neither, as arith's folder has it. f64 gets to
// f32 by rounding to odd, so that no number is rounded twice.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <stdlib.h>

/// A function of the templates, of the one value that it takes.
static MlirValue build(agpu__builder *at, const char *function,
                       const agpu__small_float *type, MlirValue value) {
  AGPU__SCOPED(holes) holes = {0};
  agpu__small_float_holes(type, false, &holes);
  // What the other functions of the file have holes for.
  static const char *const others[][2] = {
      {"negative", "signed"}, {"wanted", "bits"}, {"field", "8"},
      {"packed", "i16"},      {"result", "i16"},  {"half", "f16"}};
  for (size_t i = 0; i < AGPU__COUNT(others); ++i)
    agpu__hole(&holes, others[i][0], "%s", others[i][1]);
  const agpu__template template = {
      .file = "small_floats.mlir", .function = function, .holes = &holes};
  MlirValue result;
  if (mlirLogicalResultIsFailure(
          agpu__template_build(at, &template, &value, &result)))
    abort();
  return result;
}

static MlirType bits_of(agpu__builder *at, const agpu__small_float *type) {
  return mlirIntegerTypeGet(at->context, type->bits);
}

static MlirValue to_f32(agpu__builder *at, MlirValue value, bool will_round) {
  MlirType type = mlirValueGetType(value), f32 = mlirF32TypeGet(at->context);
  const agpu__small_float *small = agpu__small_float_find(type);
  if (small) {
    value = agpu__build_unary(at, "arith.bitcast", value, bits_of(at, small));
    value = agpu__build_unary(at, "arith.extui", value,
                              agpu__i32_type(at->context));
    return build(at, "decode", small, value);
  }
  if (mlirTypeIsAF64(type) && will_round)
    return build(at, "odd", agpu__small_float_any(), value);
  return mlirTypeEqual(type, f32)
             ? value
             : agpu__build_unary(at, "arith.extf", value, f32);
}

static MlirValue convert(agpu__builder *at, MlirValue value, MlirType type) {
  const agpu__small_float *small = agpu__small_float_find(type);
  value = to_f32(at, value, small);
  if (small) {
    value = build(at, "encode", small, value);
    value = agpu__build_unary(at, "arith.trunci", value, bits_of(at, small));
    return agpu__build_unary(at, "arith.bitcast", value, type);
  }
  if (mlirTypeIsAF32(type))
    return value;
  // Exact: each small format is part of f16 and bf16.
  return agpu__build_unary(
      at, mlirTypeIsAF64(type) ? "arith.extf" : "arith.truncf", value, type);
}

/// The vector of one dimension with the elements of `value`.
static MlirValue flatten(agpu__builder *at, MlirValue value, int64_t count) {
  MlirType type = mlirValueGetType(value);
  return mlirShapedTypeGetRank(type) == 1
             ? value
             : agpu__build_unary(
                   at, "vector.shape_cast", value,
                   mlirVectorTypeGet(1, &count,
                                     mlirShapedTypeGetElementType(type)));
}

static int64_t count_of(MlirType type) {
  int64_t count = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    count *= mlirShapedTypeGetDimSize(type, d);
  return count;
}

static MlirValue convert_vector(agpu__builder *at, MlirValue value,
                                MlirType type) {
  int64_t count = count_of(type);
  MlirType from = mlirShapedTypeGetElementType(mlirValueGetType(value));
  MlirType to = mlirShapedTypeGetElementType(type);
  MlirValue flat = flatten(at, value, count);
  AGPU__OWNED MlirValue *elements =
      agpu__allocate((size_t)count, sizeof *elements);
  for (int64_t i = 0; i < count; ++i) {
    MlirNamedAttribute position =
        agpu__named(at->context, "static_position",
                    mlirDenseI64ArrayGet(at->context, 1, &i));
    MlirOperation extract =
        agpu__build_op(at, "vector.extract", &flat, 1, from, &position, 1);
    elements[i] = convert(at, agpu__result(extract, 0), to);
  }
  MlirValue all = agpu__result(
      agpu__build_op(at, "vector.from_elements", elements, (size_t)count,
                     mlirVectorTypeGet(1, &count, to), NULL, 0),
      0);
  return mlirTypeEqual(mlirValueGetType(all), type)
             ? all
             : agpu__build_unary(at, "vector.shape_cast", all, type);
}

/// Others stay, and are an error later on.
static bool is_known(MlirOperation op) {
  if (!agpu__op_is_any(op, "arith.extf arith.truncf"))
    return false;
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType to = mlirValueGetType(agpu__result(op, 0));
  if (!agpu__small_float_find(agpu__element_of(from)) &&
      !agpu__small_float_find(agpu__element_of(to)))
    return false;
  const MlirType both[] = {from, to};
  for (int i = 0; i < 2; ++i) {
    MlirType element = agpu__element_of(both[i]);
    if ((mlirTypeIsAVector(both[i]) && mlirVectorTypeIsScalable(both[i])) ||
        (!agpu__small_float_find(element) && !mlirTypeIsAF16(element) &&
         !mlirTypeIsABF16(element) && !mlirTypeIsAF32(element) &&
         !mlirTypeIsAF64(element)))
      return false;
  }
  MlirAttribute rounding = agpu__attr(op, "roundingmode");
  return mlirAttributeIsNull(rounding) ||
         mlirIntegerAttrGetValueInt(rounding) == 0;
}

bool agpu__expand_small_conversions(MlirOperation root) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(root, "arith.extf");
  agpu__collect(root, "arith.truncf", &ops);
  bool any = false;
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (!is_known(op))
      continue;
    any = true;
    agpu__builder at = agpu__builder_before(op);
    MlirType type = mlirValueGetType(agpu__result(op, 0));
    MlirValue value = mlirOperationGetOperand(op, 0);
    agpu__replace_op_by_value(op, mlirTypeIsAVector(type)
                                      ? convert_vector(&at, value, type)
                                      : convert(&at, value, type));
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Floats of 8, 6 and 4 bits
//
// The formats, and the numbers by which templates/small_floats.mlir gets from
// one to f32 and back.
//===----------------------------------------------------------------------===//

static const agpu__small_float formats[] = {
    {"f8E4M3FN", 8, 3, 7, 0x7e, 0, 0x7f},
    {"f8E5M2", 8, 2, 15, 0x7b, 0x7c, 0x7f},
    {"f6E2M3FN", 6, 3, 1, 0x1f, 0, 0x1f},
    {"f6E3M2FN", 6, 2, 3, 0x1f, 0, 0x1f},
    {"f4E2M1FN", 4, 1, 1, 0x7, 0, 0x7},
};

const agpu__small_float *agpu__small_float_find(MlirType type) {
  AGPU__OWNED char *text = agpu__type_text(type);
  const agpu__small_float *found = NULL;
  for (size_t i = 0; i < AGPU__COUNT(formats); ++i)
    if (!strcmp(formats[i].type, text))
      found = &formats[i];
  return found;
}

const agpu__small_float *agpu__small_float_any(void) { return &formats[0]; }

void agpu__small_float_holes(const agpu__small_float *self, bool saturates,
                             agpu__holes *holes) {
  enum { F32_BIAS = 127, F32_FRACTION = 23 };
  unsigned shift = F32_FRACTION - self->fraction;
  unsigned least = F32_BIAS + 1 - self->bias; // exponents, biased
  uint32_t over = saturates        ? self->most
                  : self->infinity ? self->infinity
                                   : self->nan;
  agpu__hole(holes, "fraction", "%u", shift);
  agpu__hole(holes, "below_half", "%u", (1u << (shift - 1)) - 1);
  agpu__hole(holes, "rebias", "%u", (F32_BIAS - self->bias) << self->fraction);
  agpu__hole(holes, "least", "%u", least << F32_FRACTION);
  agpu__hole(holes, "magic", "%u",
             (least + F32_FRACTION - self->fraction) << F32_FRACTION);
  agpu__hole(holes, "most", "%u", self->most);
  agpu__hole(holes, "over", "%u", over);
  agpu__hole(holes, "infinity", "%u", self->infinity);
  agpu__hole(holes, "nan", "%u", self->nan);
  agpu__hole(holes, "sign", "%u", self->bits - 1);
  agpu__hole(holes, "size", "%u", (1u << (self->bits - 1)) - 1);
  agpu__hole(holes, "scale", "%u", (2 * F32_BIAS - self->bias) << F32_FRACTION);
}
