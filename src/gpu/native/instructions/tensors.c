//===- tensors.c - Copies in bulk -----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk and its tensor copies become calls of the device. Operands that
// an op may lack get numbers that say so.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "async_gpu/compiled/native_async.h"

//===----------------------------------------------------------------------===//
// Copies in bulk
//===----------------------------------------------------------------------===//

/// How many operands segment number `segment` of an op has, and its first.
static intptr_t find_segment(MlirOperation op, intptr_t segment,
                             intptr_t *out_first) {
  MlirAttribute sizes = agpu__attr(op, "operandSegmentSizes");
  *out_first = 0;
  for (intptr_t i = 0; i < segment; ++i)
    *out_first += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirDenseI32ArrayGetElement(sizes, segment);
}

/// The mask that segment number `segment` may hold, an i16.
static void push_mask(agpu__simt_call *self, intptr_t segment,
                      int64_t otherwise) {
  intptr_t place;
  if (find_segment(self->op, segment, &place))
    agpu__simt_push(self,
                    agpu__build_unary(&self->at, "llvm.zext",
                                      mlirOperationGetOperand(self->op, place),
                                      agpu__i32_type(self->at.context)));
  else
    agpu__simt_push_i32(self, otherwise);
}

void agpu__simt_call_bulk(agpu__simt_call *self) {
  MlirOperation op = self->op;
  bool load = agpu__op_is(op, "nvvm.cp.async.bulk.shared.cluster.global");
  bool store = agpu__op_is(op, "nvvm.cp.async.bulk.global.shared.cta");
  agpu__simt_push_i32(self, load    ? AGPU_NATIVE_BULK_LOAD
                            : store ? AGPU_NATIVE_BULK_STORE
                                    : AGPU_NATIVE_BULK_CLUSTER);
  agpu__simt_push_pointer(self, mlirOperationGetOperand(op, 0));
  agpu__simt_push_pointer(self, mlirOperationGetOperand(op, 1));
  agpu__simt_push(self, mlirOperationGetOperand(op, store ? 2 : 3));
  if (store)
    agpu__simt_push(self, agpu__llvm_null(&self->at));
  else
    agpu__simt_push_pointer(self, mlirOperationGetOperand(op, 2));
  if (load)
    push_mask(self, 4, AGPU_NATIVE_ONE_BLOCK);
  else if (store)
    push_mask(self, 4, 0xffff);
  else
    agpu__simt_push_i32(self, AGPU_NATIVE_ONE_BLOCK);
  agpu__simt_finish(self, "agpu_native_bulk_copy", (MlirType){NULL});
}

/// The operands of the three ops on tensors, by their segments; -1: none.
static const struct tensor_op {
  const char *op;
  agpu_native_bulk what;
  intptr_t map, shared, coordinates, barrier, offsets, mask, predicate;
} tensor_ops[] = {
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", AGPU_NATIVE_BULK_LOAD,
     1, 0, 2, 3, 4, 5, 7},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", AGPU_NATIVE_BULK_STORE, 0,
     1, 2, -1, -1, -1, 4},
    {"nvvm.cp.async.bulk.tensor.reduce", AGPU_NATIVE_BULK_REDUCE, 0, 1, 2, -1,
     -1, -1, -1},
};

static const struct tensor_op *find_tensor_op(MlirOperation op) {
  for (size_t i = 0; i < AGPU__COUNT(tensor_ops); ++i)
    if (agpu__op_is(op, tensor_ops[i].op))
      return &tensor_ops[i];
  return NULL;
}

static MlirValue segment_operand(MlirOperation op, intptr_t segment) {
  intptr_t place;
  return segment >= 0 && find_segment(op, segment, &place)
             ? mlirOperationGetOperand(op, place)
             : (MlirValue){NULL};
}

static int64_t reduction_of(MlirOperation op) {
  static const char *const kinds[] = {"<add>", "<min>", "<max>", "<inc>",
                                      "<dec>", "<and>", "<or>",  "<xor>"};
  for (int64_t i = 0; i < 8; ++i)
    if (agpu__simt_attr_has(op, "redKind", kinds[i]))
      return i;
  return 0;
}

static bool is_im2col(MlirOperation op) {
  return agpu__simt_attr_has(op, "mode", "<im2col>");
}

/// In a mode that the device has; tiled is the default.
static bool has_known_mode(MlirOperation op) {
  return mlirAttributeIsNull(agpu__attr(op, "mode")) ||
         agpu__simt_attr_has(op, "mode", "<tile>") || is_im2col(op);
}

/// The operands of a segment, and zeros up to `most`, as i32.
static void push_segment(agpu__simt_call *self, intptr_t segment,
                         intptr_t most) {
  MlirType i32 = agpu__i32_type(self->at.context);
  intptr_t first = 0, count = 0;
  if (segment >= 0)
    count = find_segment(self->op, segment, &first);
  for (intptr_t i = 0; i < most; ++i) {
    if (i >= count) {
      agpu__simt_push_i32(self, 0);
      continue;
    }
    MlirValue value = mlirOperationGetOperand(self->op, first + i);
    if (!mlirTypeEqual(mlirValueGetType(value), i32))
      value = agpu__build_unary(&self->at, "llvm.zext", value, i32);
    agpu__simt_push(self, value);
  }
}

void agpu__simt_call_tensor(agpu__simt_call *self) {
  enum { RANK = 5, OFFSETS = 3 };
  MlirOperation op = self->op;
  const struct tensor_op *row = find_tensor_op(op);
  agpu__simt_push_i32(self, row->what);
  agpu__simt_push_i32(self, reduction_of(op));
  agpu__simt_push_pointer(self, segment_operand(op, row->map));
  agpu__simt_push_pointer(self, segment_operand(op, row->shared));
  intptr_t first, rank = find_segment(op, row->coordinates, &first);
  agpu__simt_push_i32(self, rank);
  push_segment(self, row->coordinates, RANK);
  agpu__simt_push_i32(self, is_im2col(op) ? AGPU_NATIVE_TENSOR_IM2COL
                                          : AGPU_NATIVE_TENSOR_TILE);
  push_segment(self, row->offsets, OFFSETS);
  if (row->barrier >= 0)
    agpu__simt_push_pointer(self, segment_operand(op, row->barrier));
  else
    agpu__simt_push(self, agpu__llvm_null(&self->at));
  if (row->mask >= 0)
    push_mask(self, row->mask, AGPU_NATIVE_ONE_BLOCK);
  else
    agpu__simt_push_i32(self, AGPU_NATIVE_ONE_BLOCK);
  agpu__simt_finish(self, "agpu_native_tensor_copy", (MlirType){NULL});
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

bool agpu__simt_has_tensors(MlirOperation op) { return has_known_mode(op); }

MlirValue agpu__simt_tensor_predicate(MlirOperation op) {
  const struct tensor_op *row = find_tensor_op(op);
  return row ? segment_operand(op, row->predicate) : (MlirValue){NULL};
}
