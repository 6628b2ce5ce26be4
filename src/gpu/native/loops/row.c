//===- row.c - What is known of a row of threads --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value counts up along a row if it is the thread's id there plus what is the
// same in all threads, possibly converted. An integer that is widened may have
// wrapped before, in the middle of a row; so where that matters, what the value
// is for the first and for the last thread is compared when the kernel runs: a
// row has at most 1024 threads, so a wrap of 32 bits is seen in their distance.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

/// Ops that are looked at for one value.
enum { MOST_OPS = 64 };

static bool has_width(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAInteger(type) && (mlirIntegerTypeGetWidth(type) == 32 ||
                                      mlirIntegerTypeGetWidth(type) == 64);
}

static agpu__simt_form form_of(const agpu__simt_row *self, MlirValue value,
                               int *budget);

/// Of the result of a pure op, whose operands are not all the same.
static agpu__simt_form combine(MlirOperation op, const agpu__simt_form *forms) {
  if (!has_width(mlirOperationGetResult(op, 0)))
    return AGPU__SIMT_VARIES;
  if (agpu__op_is_any(op, "llvm.sext llvm.zext llvm.trunc"))
    return forms[0];
  bool adds = agpu__op_is(op, "llvm.add");
  if (!adds && !agpu__op_is(op, "llvm.sub"))
    return AGPU__SIMT_VARIES;
  if (forms[0] != AGPU__SIMT_VARIES && forms[1] == AGPU__SIMT_SAME)
    return AGPU__SIMT_COUNTS;
  return adds && forms[0] == AGPU__SIMT_SAME && forms[1] != AGPU__SIMT_VARIES
             ? AGPU__SIMT_COUNTS
             : AGPU__SIMT_VARIES;
}

static agpu__simt_form form_of(const agpu__simt_row *self, MlirValue value,
                               int *budget) {
  if (mlirValueEqual(value, self->id))
    return AGPU__SIMT_ID;
  if (self->is_same(self->data, value))
    return AGPU__SIMT_SAME;
  MlirOperation op = agpu__maker_of(value);
  if (mlirOperationIsNull(op) || --*budget < 0 ||
      agpu__simt_purity_of(op) != AGPU__SIMT_ANYWHERE)
    return AGPU__SIMT_VARIES;
  agpu__simt_form forms[2] = {AGPU__SIMT_VARIES, AGPU__SIMT_VARIES};
  bool same = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    agpu__simt_form form =
        form_of(self, mlirOperationGetOperand(op, i), budget);
    same &= form == AGPU__SIMT_SAME;
    if (i < 2)
      forms[i] = form;
  }
  return same ? AGPU__SIMT_SAME : combine(op, forms);
}

agpu__simt_form agpu__simt_form_of(const agpu__simt_row *self,
                                   MlirValue value) {
  int budget = MOST_OPS;
  return form_of(self, value, &budget);
}

static MlirValue evaluate(const agpu__simt_row *self, agpu__builder *at,
                          MlirValue value, agpu__twins *copies) {
  MlirValue known = agpu__twin_or_self(copies, value);
  if (!mlirValueEqual(known, value) || self->is_same(self->data, value))
    return known;
  MlirOperation op = agpu__maker_of(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    (void)evaluate(self, at, mlirOperationGetOperand(op, i), copies);
  MlirOperation copy = agpu__copy_op(copies, op);
  if (mlirOperationIsNull(at->before))
    mlirBlockAppendOwnedOperation(at->block, copy);
  else
    mlirBlockInsertOwnedOperationBefore(at->block, at->before, copy);
  return agpu__twin_or_self(copies, value);
}

MlirValue agpu__simt_evaluate(const agpu__simt_row *self, agpu__builder *at,
                              MlirValue value, MlirValue id) {
  AGPU__SCOPED(twins) copies = {0};
  agpu__twins_set(&copies, self->id, id);
  return evaluate(self, at, value, &copies);
}

/// `value`, an i32 that is not negative, in an integer of 32 or 64 bits.
static MlirValue widen(agpu__builder *at, MlirValue value, MlirType type) {
  return mlirIntegerTypeGetWidth(type) == 32
             ? value
             : agpu__build_unary(at, "llvm.zext", value, type);
}

agpu__simt_ends agpu__simt_row_ends(const agpu__simt_row *self,
                                    agpu__builder *at, MlirValue value,
                                    bool is_signed) {
  MlirType type = mlirValueGetType(value);
  MlirValue last_id =
      agpu__build_binary(at, "llvm.sub", self->size, agpu__llvm_i32(at, 1));
  agpu__simt_ends ends = {
      .first = agpu__simt_evaluate(self, at, value, agpu__llvm_i32(at, 0)),
      .last = agpu__simt_evaluate(self, at, value, last_id)};
  MlirValue distance =
      agpu__build_binary(at, "llvm.sub", ends.last, ends.first);
  MlirValue steps =
      agpu__llvm_compare(at, AGPU__EQUAL, distance, widen(at, last_id, type));
  MlirValue rises = agpu__llvm_compare(
      at, is_signed ? AGPU__SIGNED_LESS_EQUAL : AGPU__UNSIGNED_LESS_EQUAL,
      ends.first, ends.last);
  ends.in_order = agpu__build_binary(at, "llvm.and", steps, rises);
  return ends;
}

MlirValue agpu__simt_row_id(const agpu__simt_row *self, agpu__builder *at,
                            MlirType type) {
  return widen(at, self->id, type);
}

bool agpu__simt_is_ordered(MlirOperation compare, agpu__predicate *out) {
  if (!agpu__op_is(compare, "llvm.icmp"))
    return false;
  int64_t predicate = agpu__get_int(compare, "predicate", AGPU__EQUAL);
  *out = (agpu__predicate)predicate;
  return predicate >= AGPU__SIGNED_LESS &&
         predicate <= AGPU__UNSIGNED_GREATER_EQUAL;
}
