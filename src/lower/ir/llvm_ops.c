//===- llvm_ops.c - Ops of the LLVM dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

MlirValue agpu__llvm_constant(agpu__builder *at, MlirAttribute value) {
  MlirNamedAttribute attribute = agpu__named(at->context, "value", value);
  return agpu__result(agpu__build_op(at, "llvm.mlir.constant", NULL, 0,
                                     mlirAttributeGetType(value), &attribute,
                                     1),
                      0);
}

MlirValue agpu__llvm_i64(agpu__builder *at, int64_t value) {
  return agpu__llvm_constant(at, agpu__i64_attr(at->context, value));
}

MlirValue agpu__llvm_bool(agpu__builder *at, bool value) {
  return agpu__llvm_constant(
      at, mlirIntegerAttrGet(agpu__i1_type(at->context), value));
}

MlirValue agpu__llvm_null(agpu__builder *at) {
  return agpu__result(agpu__build_op(at, "llvm.mlir.zero", NULL, 0,
                                     agpu__ptr_type(at->context), NULL, 0),
                      0);
}

MlirValue agpu__llvm_address(agpu__builder *at, const char *symbol) {
  MlirNamedAttribute global = agpu__named(
      at->context, "global_name", agpu__symbol_attr(at->context, symbol));
  return agpu__result(agpu__build_op(at, "llvm.mlir.addressof", NULL, 0,
                                     agpu__ptr_type(at->context), &global, 1),
                      0);
}

MlirValue agpu__llvm_size_of(agpu__builder *at, MlirType type) {
  // The address of element 1 of an array at null.
  MlirValue null = agpu__llvm_null(at);
  int32_t one = 1;
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(type)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &one)),
  };
  MlirValue end =
      agpu__result(agpu__build_op(at, "llvm.getelementptr", &null, 1,
                                  agpu__ptr_type(at->context), attributes, 2),
                   0);
  return agpu__result(agpu__build_op(at, "llvm.ptrtoint", &end, 1,
                                     agpu__i64_type(at->context), NULL, 0),
                      0);
}

/// What `intrinsic` makes of two numbers without signs, which is less than
/// 2^63, or INT64_MAX.
static MlirValue saturate(agpu__builder *at, const char *intrinsic, MlirValue a,
                          MlirValue b) {
  enum { SIGNED_LESS = 2 }; // as the LLVM dialect numbers it
  MlirType i1 = agpu__i1_type(at->context), i64 = agpu__i64_type(at->context);
  MlirType fields[] = {i64, i1};
  MlirValue operands[] = {a, b};
  MlirValue both = agpu__result(
      agpu__build_op(
          at, intrinsic, operands, 2,
          mlirLLVMStructTypeLiteralGet(at->context, 2, fields, false), NULL, 0),
      0);
  MlirValue number = agpu__llvm_extract(at, both, i64, 0);
  MlirValue compared[] = {number, agpu__llvm_i64(at, 0)};
  MlirNamedAttribute predicate = agpu__named(
      at->context, "predicate", agpu__i64_attr(at->context, SIGNED_LESS));
  MlirValue large = agpu__result(
      agpu__build_op(at, "llvm.icmp", compared, 2, i1, &predicate, 1), 0);
  MlirValue chosen[] = {agpu__build_binary(at, "llvm.or",
                                           agpu__llvm_extract(at, both, i1, 1),
                                           large),
                        agpu__llvm_i64(at, INT64_MAX), number};
  return agpu__result(
      agpu__build_op(at, "llvm.select", chosen, 3, i64, NULL, 0), 0);
}

MlirValue agpu__llvm_multiply_size(agpu__builder *at, MlirValue a,
                                   MlirValue b) {
  return saturate(at, "llvm.intr.umul.with.overflow", a, b);
}

MlirValue agpu__llvm_add_size(agpu__builder *at, MlirValue a, MlirValue b) {
  return saturate(at, "llvm.intr.uadd.with.overflow", a, b);
}

MlirValue agpu__llvm_undef(agpu__builder *at, MlirType type) {
  return agpu__result(
      agpu__build_op(at, "llvm.mlir.undef", NULL, 0, type, NULL, 0), 0);
}

MlirValue agpu__llvm_insert(agpu__builder *at, MlirValue aggregate,
                            MlirValue value, int64_t position) {
  MlirValue operands[] = {aggregate, value};
  MlirNamedAttribute attribute = agpu__named(
      at->context, "position", mlirDenseI64ArrayGet(at->context, 1, &position));
  return agpu__result(agpu__build_op(at, "llvm.insertvalue", operands, 2,
                                     mlirValueGetType(aggregate), &attribute,
                                     1),
                      0);
}

MlirValue agpu__llvm_extract(agpu__builder *at, MlirValue aggregate,
                             MlirType type, int64_t position) {
  MlirNamedAttribute attribute = agpu__named(
      at->context, "position", mlirDenseI64ArrayGet(at->context, 1, &position));
  return agpu__result(agpu__build_op(at, "llvm.extractvalue", &aggregate, 1,
                                     type, &attribute, 1),
                      0);
}

MlirValue agpu__llvm_load(agpu__builder *at, MlirValue address, MlirType type) {
  return agpu__result(
      agpu__build_op(at, "llvm.load", &address, 1, type, NULL, 0), 0);
}

void agpu__llvm_store(agpu__builder *at, MlirValue value, MlirValue address) {
  MlirValue operands[] = {value, address};
  agpu__build_op(at, "llvm.store", operands, 2, (MlirType){NULL}, NULL, 0);
}

MlirValue agpu__location_constant(agpu__builder *at, MlirOperation module) {
  char *text = agpu__location_text(at->location);
  MlirValue value =
      *text ? agpu__string_constant(at, module, text) : agpu__llvm_null(at);
  free(text);
  return value;
}
