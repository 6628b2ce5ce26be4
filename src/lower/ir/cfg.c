//===- cfg.c - Blocks and edges -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operands of a terminator go along which edge is a fact of each op, of
// which only those of the cf dialect (and async.coro.suspend, which has none)
// are met here.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

MlirBlock agpu__block_after(MlirBlock block) {
  MlirBlock fresh = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockAfter(mlirBlockGetParentRegion(block), block,
                                  fresh);
  return fresh;
}

MlirBlock agpu__split_after(MlirOperation op) {
  MlirBlock rest = agpu__block_after(mlirOperationGetBlock(op));
  agpu__builder at = agpu__builder_at_end(rest, mlirOperationGetLocation(op));
  agpu__move_ops(&at, mlirOperationGetNextInBlock(op), (MlirOperation){NULL});
  return rest;
}

MlirOperation agpu__branch_with(MlirBlock block, MlirLocation location,
                                MlirBlock target, const MlirValue *values,
                                size_t count) {
  agpu__builder builder = agpu__builder_at_end(block, location);
  agpu__op_spec spec = {.name = "cf.br",
                        .operands = values,
                        .operand_count = count,
                        .successors = &target,
                        .successor_count = 1};
  return agpu__build(&builder, &spec);
}

MlirOperation agpu__branch(MlirBlock block, MlirLocation location,
                           MlirBlock target) {
  return agpu__branch_with(block, location, target, NULL, 0);
}

MlirOperation agpu__branch_if(MlirBlock block, MlirLocation location,
                              MlirValue condition, MlirBlock yes,
                              MlirBlock no) {
  agpu__builder builder = agpu__builder_at_end(block, location);
  MlirBlock successors[] = {yes, no};
  int32_t segments[] = {1, 0, 0};
  MlirNamedAttribute attribute = agpu__segments(builder.context, segments, 3);
  agpu__op_spec spec = {.name = "cf.cond_br",
                        .operands = &condition,
                        .operand_count = 1,
                        .attributes = &attribute,
                        .attribute_count = 1,
                        .successors = successors,
                        .successor_count = 2};
  return agpu__build(&builder, &spec);
}

static intptr_t segment(MlirOperation op, const char *name, intptr_t index) {
  return mlirDenseI32ArrayGetElement(agpu__attr(op, name), index);
}

void agpu__edge_operands(MlirOperation terminator, intptr_t successor,
                         intptr_t *out_begin, intptr_t *out_count) {
  *out_begin = 0;
  *out_count = 0;
  if (agpu__op_is_any(terminator, "cf.br llvm.br")) {
    *out_count = mlirOperationGetNumOperands(terminator);
  } else if (agpu__op_is_any(terminator, "cf.cond_br llvm.cond_br")) {
    intptr_t on_true = segment(terminator, "operandSegmentSizes", 1);
    *out_begin = successor == 0 ? 1 : 1 + on_true;
    *out_count = segment(terminator, "operandSegmentSizes", 1 + successor);
  } else if (agpu__op_is_any(terminator, "cf.switch llvm.switch")) {
    // Segments: flag, default operands, all case operands; the last are
    // divided once more by case_operand_segments.
    intptr_t defaults = segment(terminator, "operandSegmentSizes", 1);
    if (successor == 0) {
      *out_begin = 1;
      *out_count = defaults;
      return;
    }
    *out_begin = 1 + defaults;
    for (intptr_t i = 0; i + 1 < successor; ++i)
      *out_begin += segment(terminator, "case_operand_segments", i);
    *out_count = segment(terminator, "case_operand_segments", successor - 1);
  }
}

MlirOperation agpu__split_edge(MlirOperation terminator, intptr_t successor) {
  MlirBlock from = mlirOperationGetBlock(terminator);
  MlirBlock to = mlirOperationGetSuccessor(terminator, successor);
  MlirLocation location = mlirOperationGetLocation(terminator);
  MlirBlock middle = agpu__block_after(from);
  intptr_t count = mlirBlockGetNumArguments(to);
  AGPU__OWNED MlirValue *arguments =
      agpu__allocate((size_t)count, sizeof(*arguments));
  for (intptr_t i = 0; i < count; ++i)
    arguments[i] = mlirBlockAddArgument(
        middle, mlirValueGetType(mlirBlockGetArgument(to, i)), location);
  MlirOperation branch =
      agpu__branch_with(middle, location, to, arguments, (size_t)count);
  mlirOperationSetSuccessor(terminator, successor, middle);
  return branch;
}

bool agpu__reach(MlirBlock block, MlirBlock until, agpu__map *reached) {
  AGPU__SCOPED(ops) ends = {0}; // the terminators of what has been reached
  agpu__ops_push(&ends, mlirBlockGetTerminator(block));
  for (size_t i = 0; i < ends.count; ++i) {
    intptr_t successors = mlirOperationIsNull(ends.data[i])
                              ? 0
                              : mlirOperationGetNumSuccessors(ends.data[i]);
    for (intptr_t s = 0; s < successors; ++s) {
      MlirBlock next = mlirOperationGetSuccessor(ends.data[i], s);
      if (mlirBlockEqual(next, until))
        return true;
      if (agpu__map_get(reached, next.ptr) != AGPU__MAP_NONE)
        continue;
      agpu__map_set(reached, next.ptr, 0);
      agpu__ops_push(&ends, mlirBlockGetTerminator(next));
    }
  }
  return false;
}

void agpu__erase_unreachable_blocks(MlirRegion region) {
  MlirBlock next = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(next))
    return;
  AGPU__SCOPED(map) reached = {0};
  agpu__map_set(&reached, next.ptr, 0);
  (void)agpu__reach(next, (MlirBlock){NULL}, &reached);
  // They may refer to each other in circles, which a region that goes away
  // resolves.
  MlirRegion unreachable = mlirRegionCreate();
  for (MlirBlock block; !mlirBlockIsNull(block = next);) {
    next = mlirBlockGetNextInRegion(block);
    if (agpu__map_get(&reached, block.ptr) != AGPU__MAP_NONE)
      continue;
    mlirBlockDetach(block);
    mlirRegionAppendOwnedBlock(unreachable, block);
  }
  mlirRegionDestroy(unreachable);
}
