//===- division.c - Divisions that have no result -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A division by zero, and the smallest number by -1, have no result: LLVM may
// do what it likes then. Here both get one, and a check can be built in front
// of it.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "async_gpu/compiled/native_thread.h"

static const struct division {
  const char *op;
  bool is_signed, remainder;
} divisions[] = {
    {"llvm.sdiv", true, false},        {"llvm.udiv", false, false},
    {"llvm.srem", true, true},         {"llvm.urem", false, true},
    {"arith.divsi", true, false},      {"arith.divui", false, false},
    {"arith.remsi", true, true},       {"arith.remui", false, true},
    {"arith.ceildivsi", true, false},  {"arith.ceildivui", false, false},
    {"arith.floordivsi", true, false}, {"index.divs", true, false},
    {"index.divu", false, false},      {"index.rems", true, true},
    {"index.remu", false, true},       {"index.ceildivs", true, false},
    {"index.ceildivu", false, false},  {"index.floordivs", true, false},
};

static const struct division *find(MlirOperation op) {
  // The context keeps strings with a NUL after them.
  const char *name = agpu__op_name(op).data;
  if (!strstr(name, "div") && !strstr(name, "rem"))
    return NULL;
  for (size_t i = 0; i < AGPU__COUNT(divisions); ++i)
    if (agpu__op_is(op, divisions[i].op))
      return &divisions[i];
  return NULL;
}

/// Bits of an element; an index has 64.
static unsigned width_of(MlirType type) {
  MlirType element = agpu__element_of(type);
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64;
}

/// The value of an i1 has no sign to overflow: -1 and 1 are the same.
static bool can_overflow(const struct division *division, MlirType type) {
  return division->is_signed && width_of(type) > 1;
}

/// The constant that all elements of `value` are; false: they are none, or one
/// that has more bits than there is room for.
static bool constant_of(MlirValue value, int64_t *out) {
  MlirOperation source = agpu__maker_of(value);
  if (!agpu__op_is_any(source,
                       "llvm.mlir.constant arith.constant index.constant"))
    return false;
  MlirAttribute constant = agpu__attr(source, "value");
  if (mlirAttributeIsADenseElements(constant) &&
      mlirDenseElementsAttrIsSplat(constant))
    constant = mlirDenseElementsAttrGetSplatValue(constant);
  if (!mlirAttributeIsAInteger(constant) ||
      width_of(mlirAttributeGetType(constant)) > 64)
    return false;
  *out = mlirIntegerAttrGetValueInt(constant);
  return true;
}

bool agpu__division_may_fail(MlirOperation op) {
  const struct division *division = find(op);
  if (!division)
    return false;
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  MlirType type = mlirValueGetType(divisor);
  if (mlirTypeIsAVector(type) &&
      (mlirShapedTypeGetRank(type) != 1 || mlirVectorTypeIsScalable(type)))
    return false;
  int64_t constant;
  return !constant_of(divisor, &constant) || constant == 0 ||
         (constant == -1 && can_overflow(division, type));
}

//===----------------------------------------------------------------------===//
// Ops of either dialect
//===----------------------------------------------------------------------===//

/// The names of what is built here, by dialect.
typedef struct names {
  const char *constant, *compare, *choose, *both;
} names;

static const names *names_for(MlirOperation op) {
  static const names llvm = {"llvm.mlir.constant", "llvm.icmp", "llvm.select",
                             "llvm.and"};
  static const names arith = {"arith.constant", "arith.cmpi", "arith.select",
                              "arith.andi"};
  return agpu__op_in_dialect(op, "llvm") ? &llvm : &arith;
}

/// `value` in each element of `type`.
static MlirValue constant(agpu__builder *at, const names *by, MlirType type,
                          int64_t value) {
  MlirAttribute attribute = mlirIntegerAttrGet(agpu__element_of(type), value);
  if (mlirTypeIsAVector(type))
    attribute = mlirDenseElementsAttrSplatGet(type, attribute);
  return agpu__build_with(at, by->constant, NULL, 0, type, "value", attribute);
}

static MlirType truth_type(MlirContext context, MlirType like) {
  MlirType i1 = agpu__i1_type(context);
  if (!mlirTypeIsAVector(like))
    return i1;
  int64_t count = mlirShapedTypeGetDimSize(like, 0);
  return mlirVectorTypeGet(1, &count, i1);
}

/// Whether they are equal, an i1 or a vector of i1.
static MlirValue equals(agpu__builder *at, const names *by, MlirValue a,
                        int64_t b) {
  MlirType type = mlirValueGetType(a);
  MlirValue operands[] = {a, constant(at, by, type, b)};
  return agpu__build_with(at, by->compare, operands, 2,
                          truth_type(at->context, type), "predicate",
                          agpu__i64_attr(at->context, 0));
}

/// Whether any element is set.
static MlirValue any(agpu__builder *at, MlirValue condition) {
  if (!mlirTypeIsAVector(mlirValueGetType(condition)))
    return condition;
  return agpu__build_unary(at, "llvm.intr.vector.reduce.or", condition,
                           agpu__i1_type(at->context));
}

static int64_t smallest(MlirType type) {
  return (int64_t)((uint64_t)1 << 63) >> (64 - width_of(type));
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

MlirValue agpu__division_fault(agpu__builder *at, MlirOperation op) {
  const names *by = names_for(op);
  MlirValue dividend = mlirOperationGetOperand(op, 0);
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  MlirType type = mlirValueGetType(divisor), i32 = agpu__i32_type(at->context);
  MlirValue fault = constant(at, by, i32, 0);
  if (can_overflow(find(op), type) && width_of(type) <= 64) {
    MlirValue negates = equals(at, by, divisor, -1);
    MlirValue overflow = agpu__build_binary(
        at, by->both, equals(at, by, dividend, smallest(type)), negates);
    MlirValue overflows = constant(at, by, i32, AGPU_NATIVE_DIVISION_OVERFLOWS);
    fault =
        agpu__build_select(at, by->choose, any(at, overflow), overflows, fault);
  }
  MlirValue by_zero = constant(at, by, i32, AGPU_NATIVE_DIVISION_BY_ZERO);
  return agpu__build_select(at, by->choose, any(at, equals(at, by, divisor, 0)),
                            by_zero, fault);
}

void agpu__division_define(MlirOperation op) {
  const struct division *division = find(op);
  const names *by = names_for(op);
  agpu__builder at = agpu__builder_before(op);
  MlirValue dividend = mlirOperationGetOperand(op, 0);
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  MlirValue result = agpu__result(op, 0);
  MlirType type = mlirValueGetType(result);
  MlirValue one = constant(&at, by, type, 1);
  MlirValue zero = equals(&at, by, divisor, 0);
  MlirValue negates = {NULL};
  MlirValue safe = agpu__build_select(&at, by->choose, zero, one, divisor);
  if (can_overflow(division, type)) {
    negates = equals(&at, by, divisor, -1);
    safe = agpu__build_select(&at, by->choose, negates, one, safe);
  }
  // An i1 has no sign, as far as this goes.
  const char *name = division->remainder ? "llvm.urem" : "llvm.udiv";
  if (can_overflow(division, type))
    name = division->remainder ? "llvm.srem" : "llvm.sdiv";
  MlirValue value = agpu__build_binary(&at, name, dividend, safe);
  if (division->remainder) {
    value = agpu__build_select(&at, by->choose, zero, dividend, value);
  } else {
    value = agpu__build_select(&at, by->choose, zero,
                               constant(&at, by, type, -1), value);
    if (!mlirValueIsNull(negates))
      value = agpu__build_select(&at, by->choose, negates,
                                 agpu__build_binary(&at, "llvm.sub",
                                                    constant(&at, by, type, 0),
                                                    dividend),
                                 value);
  }
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
}
