//===- nest.c - The loops of a part ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over the threads of a block around what a part does, z outside and
// x inside, as they lie in memory in most kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

static MlirBlock new_block(agpu__simt_loops *self, MlirType argument) {
  MlirBlock block = mlirTypeIsNull(argument)
                        ? mlirBlockCreate(0, NULL, NULL)
                        : mlirBlockCreate(1, &argument, &self->location);
  mlirRegionAppendOwnedBlock(self->body, block);
  return block;
}

void agpu__simt_build_nest(agpu__simt_loops *self, agpu__simt_part *part) {
  MlirType i32 = agpu__i32_type(self->context), none = {NULL};
  agpu__builder at = agpu__builder_at_end(part->before, self->location);
  MlirValue zero = agpu__llvm_i32(&at, 0);
  MlirValue one = agpu__llvm_i32(&at, 1);
  MlirBlock headers[3], ends[3];
  for (int d = 2; d >= 0; --d) {
    headers[d] = new_block(self, i32);
    part->ids[d] = mlirBlockGetArgument(headers[d], 0);
  }
  part->threads = headers[0];
  part->latch = new_block(self, none);
  for (int d = 0; d < 3; ++d)
    ends[d] = new_block(self, none);
  part->after = ends[2];
  const MlirValue *size = self->ids + 3 * AGPU__SIMT_NTID;

  agpu__llvm_branch(&at, headers[2], &zero, 1);
  at = agpu__builder_at_end(headers[2], self->location);
  agpu__llvm_branch(&at, headers[1], &zero, 1);
  at = agpu__builder_at_end(headers[1], self->location);
  // The number of the row's first thread; below 1024.
  MlirValue planes = agpu__build_binary(&at, "llvm.mul", part->ids[2], size[1]);
  MlirValue rows = agpu__build_binary(&at, "llvm.add", part->ids[1], planes);
  MlirValue row = agpu__build_binary(&at, "llvm.mul", rows, size[0]);
  MlirType i64 = agpu__i64_type(self->context);
  row = agpu__build_unary(&at, "llvm.zext", row, i64);
  agpu__llvm_branch(&at, headers[0], &zero, 1);
  at = agpu__builder_at_end(headers[0], self->location);
  MlirValue column = agpu__build_unary(&at, "llvm.zext", part->ids[0], i64);
  part->number = agpu__build_binary(&at, "llvm.add", row, column);

  MlirBlock latch = part->latch;
  for (int d = 0; d < 3; ++d) {
    at = agpu__builder_at_end(latch, self->location);
    agpu__simt_loop_latch(&at, headers[d], ends[d], part->ids[d], size[d], one,
                          d == 0 ? part->annotation : mlirAttributeGetNull());
    latch = ends[d];
  }
}
