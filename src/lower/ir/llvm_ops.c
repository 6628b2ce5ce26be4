//===- llvm_ops.c - Ops of the LLVM dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect's attributes are in its own encoding: a constant index of a
// getelementptr stands in rawConstantIndices, and one that is an operand is
// there as DYNAMIC.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

/// "The next operand", as an index of llvm.getelementptr.
#define DYNAMIC INT32_MIN

MlirValue agpu__llvm_constant(agpu__builder *at, MlirAttribute value) {
  return agpu__build_with(at, "llvm.mlir.constant", NULL, 0,
                          mlirAttributeGetType(value), "value", value);
}

MlirValue agpu__llvm_i64(agpu__builder *at, int64_t value) {
  return agpu__llvm_constant(at, agpu__i64_attr(at->context, value));
}

MlirValue agpu__llvm_i32(agpu__builder *at, int32_t value) {
  return agpu__llvm_constant(at, agpu__i32_attr(at->context, value));
}

MlirValue agpu__llvm_bool(agpu__builder *at, bool value) {
  return agpu__llvm_constant(
      at, mlirIntegerAttrGet(agpu__i1_type(at->context), value));
}

MlirValue agpu__llvm_null(agpu__builder *at) {
  return agpu__build_value(at, "llvm.mlir.zero", NULL, 0,
                           agpu__ptr_type(at->context));
}

MlirValue agpu__llvm_address(agpu__builder *at, const char *symbol) {
  return agpu__build_with(at, "llvm.mlir.addressof", NULL, 0,
                          agpu__ptr_type(at->context), "global_name",
                          agpu__symbol_attr(at->context, symbol));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static MlirValue build_gep(agpu__builder *at, const MlirValue *operands,
                           size_t operand_count, MlirType element,
                           const int32_t *path, size_t length) {
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(element)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, (intptr_t)length, path))};
  return agpu__result(
      agpu__build_op(at, "llvm.getelementptr", operands, operand_count,
                     mlirValueGetType(operands[0]), attributes, 2),
      0);
}

MlirValue agpu__llvm_element(agpu__builder *at, MlirValue base,
                             MlirType element, MlirValue index) {
  MlirValue operands[] = {base, index};
  return build_gep(at, operands, 2, element, (const int32_t[]){DYNAMIC}, 1);
}

MlirValue agpu__llvm_element_at(agpu__builder *at, MlirValue base,
                                MlirType element, int32_t index) {
  return build_gep(at, &base, 1, element, &index, 1);
}

MlirValue agpu__llvm_member(agpu__builder *at, MlirValue base, MlirType type,
                            const int32_t *path, size_t length) {
  return build_gep(at, &base, 1, type, path, length);
}

MlirValue agpu__llvm_byte(agpu__builder *at, MlirValue base, int64_t offset) {
  return agpu__llvm_element_at(at, base, agpu__i8_type(at->context),
                               (int32_t)offset);
}

MlirValue agpu__llvm_size_of(agpu__builder *at, MlirType type) {
  // The address of element 1 of an array at null.
  return agpu__build_unary(
      at, "llvm.ptrtoint",
      agpu__llvm_element_at(at, agpu__llvm_null(at), type, 1),
      agpu__i64_type(at->context));
}

MlirValue agpu__llvm_align_of(agpu__builder *at, MlirType type) {
  // The address of what stands after a byte at null.
  MlirType pair[] = {agpu__i8_type(at->context), type};
  const int32_t path[] = {0, 1};
  return agpu__build_unary(
      at, "llvm.ptrtoint",
      agpu__llvm_member(
          at, agpu__llvm_null(at),
          mlirLLVMStructTypeLiteralGet(at->context, 2, pair, false), path, 2),
      agpu__i64_type(at->context));
}

MlirValue agpu__llvm_alloca(agpu__builder *at, MlirType type, MlirValue count,
                            int64_t alignment) {
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(type)),
      agpu__named(at->context, "alignment",
                  agpu__i64_attr(at->context, alignment))};
  return agpu__result(agpu__build_op(at, "llvm.alloca", &count, 1,
                                     agpu__ptr_type(at->context), attributes,
                                     alignment ? 2 : 1),
                      0);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

MlirValue agpu__llvm_compare(agpu__builder *at, agpu__predicate predicate,
                             MlirValue a, MlirValue b) {
  return agpu__build_compare(at, "llvm.icmp", predicate, a, b);
}

MlirValue agpu__llvm_select(agpu__builder *at, MlirValue condition, MlirValue a,
                            MlirValue b) {
  return agpu__build_select(at, "llvm.select", condition, a, b);
}

/// What `intrinsic` makes of two numbers without signs, which is less than
/// 2^63, or INT64_MAX.
static MlirValue saturate(agpu__builder *at, const char *intrinsic, MlirValue a,
                          MlirValue b) {
  MlirType i1 = agpu__i1_type(at->context), i64 = agpu__i64_type(at->context);
  MlirType fields[] = {i64, i1};
  MlirValue operands[] = {a, b};
  MlirValue both = agpu__build_value(
      at, intrinsic, operands, 2,
      mlirLLVMStructTypeLiteralGet(at->context, 2, fields, false));
  MlirValue number = agpu__llvm_extract(at, both, i64, 0);
  MlirValue negative =
      agpu__llvm_compare(at, AGPU__SIGNED_LESS, number, agpu__llvm_i64(at, 0));
  MlirValue large = agpu__build_binary(
      at, "llvm.or", agpu__llvm_extract(at, both, i1, 1), negative);
  return agpu__llvm_select(at, large, agpu__llvm_i64(at, INT64_MAX), number);
}

MlirValue agpu__llvm_multiply_size(agpu__builder *at, MlirValue a,
                                   MlirValue b) {
  return saturate(at, "llvm.intr.umul.with.overflow", a, b);
}

MlirValue agpu__llvm_add_size(agpu__builder *at, MlirValue a, MlirValue b) {
  return saturate(at, "llvm.intr.uadd.with.overflow", a, b);
}

//===----------------------------------------------------------------------===//
// Aggregates and memory
//===----------------------------------------------------------------------===//

MlirValue agpu__llvm_undef(agpu__builder *at, MlirType type) {
  return agpu__build_value(at, "llvm.mlir.undef", NULL, 0, type);
}

MlirValue agpu__llvm_poison(agpu__builder *at, MlirType type) {
  return agpu__build_value(at, "llvm.mlir.poison", NULL, 0, type);
}

MlirValue agpu__llvm_insert(agpu__builder *at, MlirValue aggregate,
                            MlirValue value, int64_t position) {
  MlirValue operands[] = {aggregate, value};
  return agpu__build_with(at, "llvm.insertvalue", operands, 2,
                          mlirValueGetType(aggregate), "position",
                          mlirDenseI64ArrayGet(at->context, 1, &position));
}

MlirValue agpu__llvm_extract(agpu__builder *at, MlirValue aggregate,
                             MlirType type, int64_t position) {
  return agpu__build_with(at, "llvm.extractvalue", &aggregate, 1, type,
                          "position",
                          mlirDenseI64ArrayGet(at->context, 1, &position));
}

MlirValue agpu__llvm_load(agpu__builder *at, MlirValue address, MlirType type) {
  return agpu__build_unary(at, "llvm.load", address, type);
}

void agpu__llvm_store(agpu__builder *at, MlirValue value, MlirValue address) {
  MlirValue operands[] = {value, address};
  agpu__build_effect(at, "llvm.store", operands, 2);
}

void agpu__llvm_copy(agpu__builder *at, MlirValue to, MlirValue from,
                     MlirValue bytes) {
  MlirValue operands[] = {to, from, bytes};
  MlirNamedAttribute is_volatile = agpu__named(
      at->context, "isVolatile", mlirBoolAttrGet(at->context, false));
  agpu__build_op(at, "llvm.intr.memcpy", operands, 3, (MlirType){NULL},
                 &is_volatile, 1);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void agpu__llvm_branch(agpu__builder *at, MlirBlock to, const MlirValue *values,
                       size_t count) {
  agpu__op_spec spec = {.name = "llvm.br",
                        .operands = values,
                        .operand_count = count,
                        .successors = &to,
                        .successor_count = 1};
  agpu__build(at, &spec);
}

MlirOperation agpu__llvm_branch_if(agpu__builder *at, MlirValue condition,
                                   MlirBlock yes, const MlirValue *values,
                                   size_t count, MlirBlock no) {
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, condition);
  for (size_t i = 0; i < count; ++i)
    agpu__values_push(&operands, values[i]);
  const int32_t segments[] = {1, (int32_t)count, 0};
  MlirNamedAttribute attribute = agpu__segments(at->context, segments, 3);
  MlirBlock successors[] = {yes, no};
  agpu__op_spec spec = {.name = "llvm.cond_br",
                        .operands = operands.data,
                        .operand_count = operands.count,
                        .attributes = &attribute,
                        .attribute_count = 1,
                        .successors = successors,
                        .successor_count = 2};
  return agpu__build(at, &spec);
}

void agpu__llvm_return(agpu__builder *at, MlirValue value) {
  agpu__build_effect(at, "llvm.return", &value, !mlirValueIsNull(value));
}
