//===- copies.c - Copies of ops -------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are looked up as ops are copied, so that what defines a value is
// copied before what uses it.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

MlirValue agpu__twins_get(const agpu__twins *self, MlirValue value) {
  size_t number = agpu__map_get(&self->numbers, value.ptr);
  return number == AGPU__MAP_NONE ? (MlirValue){NULL}
                                  : self->twins.data[number];
}

MlirValue agpu__twin_or_self(const agpu__twins *self, MlirValue value) {
  MlirValue twin = agpu__twins_get(self, value);
  return mlirValueIsNull(twin) ? value : twin;
}

void agpu__twins_set(agpu__twins *self, MlirValue value, MlirValue twin) {
  agpu__map_set(&self->numbers, value.ptr, self->twins.count);
  agpu__values_push(&self->twins, twin);
}

void agpu__twins_free(agpu__twins *self) {
  agpu__map_free(&self->numbers);
  agpu__values_free(&self->twins);
}

static void update_operands(const agpu__twins *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(
        op, i, agpu__twin_or_self(self, mlirOperationGetOperand(op, i)));
}

MlirOperation agpu__copy_op(agpu__twins *self, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  update_operands(self, copy);
  if (mlirOperationGetNumRegions(copy)) {
    AGPU__SCOPED(ops) inner = {0};
    agpu__collect(copy, NULL, &inner);
    for (size_t i = 0; i < inner.count; ++i)
      update_operands(self, inner.data[i]);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(copy); ++i)
    agpu__twins_set(self, agpu__result(op, i), agpu__result(copy, i));
  return copy;
}

void agpu__append_copy(agpu__twins *self, MlirOperation op, MlirBlock to) {
  mlirBlockAppendOwnedOperation(to, agpu__copy_op(self, op));
}

static MlirBlock copy_header(agpu__twins *self, MlirBlock block,
                             MlirLocation location) {
  MlirBlock copy = agpu__append_block(mlirBlockGetParentRegion(block));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    agpu__twins_set(
        self, argument,
        mlirBlockAddArgument(copy, mlirValueGetType(argument), location));
  }
  return copy;
}

void agpu__copy_blocks(agpu__twins *self, const MlirBlock *blocks, size_t count,
                       MlirLocation location, MlirBlock *out_copies) {
  AGPU__SCOPED(map) places = {0};
  for (size_t b = 0; b < count; ++b) {
    out_copies[b] = copy_header(self, blocks[b], location);
    agpu__map_set(&places, blocks[b].ptr, b);
  }
  for (size_t b = 0; b < count; ++b)
    AGPU__OPS_FOREACH (op, blocks[b]) {
      MlirOperation copy = agpu__copy_op(self, op);
      mlirBlockAppendOwnedOperation(out_copies[b], copy);
      for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(copy); ++s) {
        size_t to =
            agpu__map_get(&places, mlirOperationGetSuccessor(copy, s).ptr);
        if (to != AGPU__MAP_NONE)
          mlirOperationSetSuccessor(copy, s, out_copies[to]);
      }
    }
}
