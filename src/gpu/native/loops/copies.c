//===- copies.c - Blocks a second time
//-----------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of blocks, in which what they define themselves stands for the
// originals.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

MlirValue agpu__simt_copy_of(const agpu__simt_copies *self, MlirValue value) {
  size_t number = agpu__map_get(&self->numbers, value.ptr);
  return number == AGPU__MAP_NONE ? value : self->values.data[number];
}

void agpu__simt_copies_set(agpu__simt_copies *self, MlirValue value,
                           MlirValue copy) {
  agpu__map_set(&self->numbers, value.ptr, self->values.count);
  agpu__values_push(&self->values, copy);
}

MlirOperation agpu__simt_copy_op(agpu__simt_copies *self, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); ++i)
    mlirOperationSetOperand(
        copy, i, agpu__simt_copy_of(self, mlirOperationGetOperand(copy, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(copy); ++i)
    agpu__simt_copies_set(self, mlirOperationGetResult(op, i),
                          mlirOperationGetResult(copy, i));
  return copy;
}

static MlirBlock copy_header(agpu__simt_copies *self, MlirBlock block,
                             MlirLocation location) {
  MlirBlock copy = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirBlockGetParentRegion(block), copy);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    agpu__simt_copies_set(
        self, argument,
        mlirBlockAddArgument(copy, mlirValueGetType(argument), location));
  }
  return copy;
}

void agpu__simt_copy_blocks(agpu__simt_copies *self, const MlirBlock *blocks,
                            size_t count, MlirLocation location,
                            MlirBlock *out_copies) {
  agpu__map places = {0};
  for (size_t b = 0; b < count; ++b) {
    out_copies[b] = copy_header(self, blocks[b], location);
    agpu__map_set(&places, blocks[b].ptr, b);
  }
  for (size_t b = 0; b < count; ++b)
    for (MlirOperation op = mlirBlockGetFirstOperation(blocks[b]);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
      MlirOperation copy = agpu__simt_copy_op(self, op);
      mlirBlockAppendOwnedOperation(out_copies[b], copy);
      for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(copy); ++s) {
        size_t to =
            agpu__map_get(&places, mlirOperationGetSuccessor(copy, s).ptr);
        if (to != AGPU__MAP_NONE)
          mlirOperationSetSuccessor(copy, s, out_copies[to]);
      }
    }
  agpu__map_free(&places);
}

void agpu__simt_copies_free(agpu__simt_copies *self) {
  agpu__map_free(&self->numbers);
  agpu__values_free(&self->values);
}
