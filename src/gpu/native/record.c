//===- record.c - A thread's record ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of waits go through 64 bits of the thread's record, whatever their
// type is, and so do results; the table of waits says which operand belongs
// where.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/record.h"

#include "gpu/native/base/waits.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stddef.h>
#include <stdlib.h>

/// The position of the op's attribute among the row's spellings.
static uint32_t mode_of(MlirOperation op, const agpu__simt_wait *row,
                        const char *attribute) {
  MlirAttribute kind = agpu__attr(op, attribute);
  for (uint32_t mode = 0; row->kinds[mode]; ++mode) {
    char *text = agpu__format(row->kind_format, row->kinds[mode]);
    bool equal = mlirAttributeEqual(
        kind, agpu__parse_attr(mlirOperationGetContext(op), text));
    free(text);
    if (equal)
      return mode;
  }
  return 0;
}

#define MEMBER(name) offsetof(agpu_native_thread, name)

static void store_member(agpu__builder *at, MlirValue thread, size_t offset,
                         MlirValue value) {
  agpu__llvm_store(at, value, agpu__llvm_byte(at, thread, (int64_t)offset));
}

/// An operand as the 64 bits of a record: integers are zero-extended.
static MlirValue widen(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value), i64 = agpu__i64_type(at->context);
  if (mlirTypeIsAF32(type))
    value = agpu__build_unary(at, "llvm.bitcast", value,
                              agpu__i32_type(at->context));
  return mlirTypeEqual(mlirValueGetType(value), i64)
             ? value
             : agpu__build_unary(at, "llvm.zext", value, i64);
}

/// The result of type `type` from 64 bits of the record.
static MlirValue narrow(agpu__builder *at, MlirValue value, MlirType type) {
  if (mlirTypeEqual(type, agpu__i64_type(at->context)))
    return value;
  if (!mlirTypeIsAF32(type))
    return agpu__build_unary(at, "llvm.trunc", value, type);
  value =
      agpu__build_unary(at, "llvm.trunc", value, agpu__i32_type(at->context));
  return agpu__build_unary(at, "llvm.bitcast", value, type);
}

/// The optional operand at position `segment`, or null.
static MlirValue optional_operand(MlirOperation op, intptr_t segment) {
  MlirAttribute sizes = agpu__attr(op, "operandSegmentSizes");
  intptr_t position = 0;
  for (intptr_t i = 0; i < segment; ++i)
    position += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirDenseI32ArrayGetElement(sizes, segment)
             ? mlirOperationGetOperand(op, position)
             : (MlirValue){NULL};
}

/// A barrier without operands is the kernel's one barrier; one with any says
/// which threads it is for. Returns the wait, and the mode.
static agpu_native_wait write_barrier(agpu__builder *at, MlirValue thread,
                                      MlirOperation op, uint32_t *out_mode) {
  static const agpu__simt_wait reductions = {
      .kind_format = "#nvvm.reduction<%s>", .kinds = {"popc", "and", "or"}};
  MlirValue number = optional_operand(op, 0);
  MlirValue threads = optional_operand(op, 1);
  MlirValue predicate = optional_operand(op, 2);
  if (mlirValueIsNull(number) && mlirValueIsNull(threads) &&
      mlirValueIsNull(predicate))
    return AGPU_NATIVE_BARRIER;
  MlirValue zero = agpu__llvm_i32(at, 0);
  store_member(at, thread, MEMBER(a), mlirValueIsNull(number) ? zero : number);
  store_member(at, thread, MEMBER(b),
               mlirValueIsNull(threads) ? zero : threads);
  if (!mlirValueIsNull(predicate)) {
    store_member(at, thread, MEMBER(value), widen(at, predicate));
    *out_mode =
        AGPU_NATIVE_BARRIER_COUNT + mode_of(op, &reductions, "reductionOp");
  }
  return AGPU_NATIVE_NUMBERED_BARRIER;
}

static bool flag(MlirOperation op, const char *name) {
  MlirAttribute attribute = agpu__attr(op, name);
  return !mlirAttributeIsNull(attribute) && mlirBoolAttrGetValue(attribute);
}

agpu_native_wait agpu__record_operands(agpu__builder *at, MlirValue thread,
                                       MlirOperation op, uint32_t *out_mode) {
  const agpu__simt_wait *row = agpu__simt_find_wait(op);
  *out_mode = 0;
  if (row->wait == AGPU_NATIVE_NUMBERED_BARRIER)
    return write_barrier(at, thread, op, out_mode);
  if (row->kind_format)
    *out_mode = mode_of(op, row, "kind");
  if (row->value >= 0)
    store_member(at, thread, MEMBER(value),
                 widen(at, mlirOperationGetOperand(op, row->value)));
  if (row->mask >= 0)
    store_member(at, thread, MEMBER(mask),
                 row->mask < mlirOperationGetNumOperands(op)
                     ? mlirOperationGetOperand(op, row->mask)
                     : agpu__llvm_i32(at, -1));
  if (row->a >= 0)
    store_member(at, thread, MEMBER(a), mlirOperationGetOperand(op, row->a));
  if (row->b >= 0)
    store_member(at, thread, MEMBER(b), mlirOperationGetOperand(op, row->b));
  if (row->wait == AGPU_NATIVE_REDUCTION)
    store_member(at, thread, MEMBER(a),
                 agpu__llvm_i32(at, (flag(op, "abs") ? 1 : 0) |
                                        (flag(op, "nan") ? 2 : 0)));
  return row->wait;
}

MlirValue agpu__record_result(agpu__builder *at, MlirValue thread,
                              MlirType type) {
  MlirValue value =
      agpu__llvm_load(at, agpu__llvm_byte(at, thread, MEMBER(value)),
                      agpu__i64_type(at->context));
  if (!mlirTypeIsALLVMStructType(type))
    return narrow(at, value, type);
  MlirValue valid =
      agpu__llvm_load(at, agpu__llvm_byte(at, thread, MEMBER(valid)),
                      agpu__i32_type(at->context));
  value = narrow(at, value, mlirLLVMStructTypeGetElementType(type, 0));
  valid = narrow(at, valid, mlirLLVMStructTypeGetElementType(type, 1));
  return agpu__llvm_insert(
      at, agpu__llvm_insert(at, agpu__llvm_undef(at, type), value, 0), valid,
      1);
}
