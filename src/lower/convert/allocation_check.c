//===- allocation_check.c - Whether an allocation gets its memory ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion multiplies the sizes of a memref and calls malloc: a
// product that does not fit gives a small buffer for a large memref, and no
// memory a null pointer.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "lower/dialect/attributes.h"

/// More elements than that of whatever type are no addresses.
#define MOST INT64_MAX

/// The number of elements that the type fixes; saturates.
static int64_t static_count(MlirType type) {
  int64_t count = 1;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    if (!mlirShapedTypeIsDynamicDim(type, i) &&
        __builtin_mul_overflow(count, mlirShapedTypeGetDimSize(type, i),
                               &count))
      count = MOST;
  return count;
}

static MlirValue as_i64(agpu__builder *at, MlirValue index) {
  return agpu__build_unary(at, "arith.index_cast", index,
                           agpu__i64_type(at->context));
}

/// How many bytes `op` allocates; saturates. Sizes come before the symbols of
/// a layout, which needs as much as that at least.
static MlirValue bytes_of(agpu__builder *at, MlirOperation op, MlirType type) {
  MlirValue bytes = agpu__memref_element_bytes(at, type);
  bytes = agpu__llvm_multiply_size(at, bytes,
                                   agpu__llvm_i64(at, static_count(type)));
  intptr_t next = agpu__op_is(op, "memref.realloc") ? 1 : 0;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      bytes = agpu__llvm_multiply_size(
          at, bytes, as_i64(at, mlirOperationGetOperand(op, next++)));
  return bytes;
}

/// Whether LLVM knows the elements of what `op` allocates.
static bool is_known(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  return mlirTypeIsAMemRef(type) && !mlirTypeIsNull(agpu__payload_type(
                                        mlirShapedTypeGetElementType(type)));
}

bool agpu__allocation_is_too_large(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (!is_known(op))
    return false;
  // Elements of one byte at least; LLVM knows how large the others are.
  int64_t count = static_count(type);
  return count == MOST ||
         (agpu__memref_has_static_shape(type) && count > MOST / 64);
}

bool agpu__build_allocation_check(MlirOperation op,
                                  agpu__allocation_check *out_check) {
  MlirValue memref = agpu__result(op, 0);
  MlirType type = mlirValueGetType(memref);
  // Upstream makes several ops of memref.realloc, which need the memory at
  // once.
  bool before_op =
      agpu__op_is(op, "memref.alloca") || agpu__op_is(op, "memref.realloc");
  if (!is_known(op) || agpu__allocation_is_too_large(op) ||
      (before_op && agpu__memref_has_static_shape(type)) ||
      agpu__has_attr(op, AGPU__CHECKED_ATTR))
    return false;
  agpu__builder before = agpu__builder_before(op);
  MlirValue bytes = bytes_of(&before, op, type);
  MlirValue most = agpu__llvm_i64(&before, INT64_MAX);
  MlirValue ok = agpu__llvm_compare(&before, AGPU__NOT_EQUAL, bytes, most);
  if (!before_op) {
    agpu__builder after = agpu__builder_after(op);
    MlirValue address = as_i64(
        &after,
        agpu__build_unary(&after, "memref.extract_aligned_pointer_as_index",
                          memref, agpu__index_type(after.context)));
    MlirValue there = agpu__llvm_compare(&after, AGPU__NOT_EQUAL, address,
                                         agpu__llvm_i64(&after, 0));
    ok = agpu__build_binary(&after, "llvm.and", ok, there);
  }
  agpu__set_attr(op, AGPU__CHECKED_ATTR,
                 mlirUnitAttrGet(mlirOperationGetContext(op)));
  *out_check = (agpu__allocation_check){ok, bytes};
  return true;
}
