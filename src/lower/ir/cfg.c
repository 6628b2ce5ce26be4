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

MlirOperation agpu__branch(MlirBlock block, MlirLocation location,
                           MlirBlock target) {
  agpu__builder builder = agpu__builder_at_end(block, location);
  agpu__op_spec spec = {.name = "cf.br",
                        .location = location,
                        .successors = &target,
                        .successor_count = 1};
  return agpu__build(&builder, &spec);
}

MlirOperation agpu__branch_if(MlirBlock block, MlirLocation location,
                              MlirValue condition, MlirBlock yes,
                              MlirBlock no) {
  agpu__builder builder = agpu__builder_at_end(block, location);
  MlirBlock successors[] = {yes, no};
  int32_t segments[] = {1, 0, 0};
  MlirNamedAttribute attribute =
      agpu__named(builder.context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(builder.context, 3, segments));
  agpu__op_spec spec = {.name = "cf.cond_br",
                        .location = location,
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
  static const char *const branches[] = {"cf.br", "llvm.br"};
  static const char *const conditions[] = {"cf.cond_br", "llvm.cond_br"};
  static const char *const switches[] = {"cf.switch", "llvm.switch"};
  if (AGPU__OP_IS_ANY(terminator, branches)) {
    *out_count = mlirOperationGetNumOperands(terminator);
  } else if (AGPU__OP_IS_ANY(terminator, conditions)) {
    intptr_t on_true = segment(terminator, "operandSegmentSizes", 1);
    *out_begin = successor == 0 ? 1 : 1 + on_true;
    *out_count = segment(terminator, "operandSegmentSizes", 1 + successor);
  } else if (AGPU__OP_IS_ANY(terminator, switches)) {
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
  agpu__builder builder = agpu__builder_at_end(middle, location);
  agpu__op_spec spec = {.name = "cf.br",
                        .location = location,
                        .operands = arguments,
                        .operand_count = (size_t)count,
                        .successors = &to,
                        .successor_count = 1};
  MlirOperation branch = agpu__build(&builder, &spec);
  mlirOperationSetSuccessor(terminator, successor, middle);
  return branch;
}

/// The blocks of a region and their numbers, and which of them are reached.
typedef struct block_set {
  MlirBlock *blocks;
  agpu__map numbers;
  bool *reached;
  size_t count;
} block_set;

static void reach_from(block_set *set, MlirBlock entry) {
  size_t *stack = agpu__allocate(set->count, sizeof(*stack)), depth = 0;
  stack[depth++] = agpu__map_get(&set->numbers, entry.ptr);
  set->reached[stack[0]] = true;
  while (depth) {
    MlirOperation end = mlirBlockGetTerminator(set->blocks[stack[--depth]]);
    intptr_t successors =
        mlirOperationIsNull(end) ? 0 : mlirOperationGetNumSuccessors(end);
    for (intptr_t i = 0; i < successors; ++i) {
      size_t next =
          agpu__map_get(&set->numbers, mlirOperationGetSuccessor(end, i).ptr);
      if (set->reached[next])
        continue;
      set->reached[next] = true;
      stack[depth++] = next;
    }
  }
  free(stack);
}

void agpu__erase_unreachable_blocks(MlirRegion region) {
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  block_set set = {0};
  for (MlirBlock block = entry; !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    ++set.count;
  if (set.count < 2)
    return;
  set.blocks = agpu__allocate(set.count, sizeof(*set.blocks));
  set.reached = agpu__allocate(set.count, sizeof(*set.reached));
  size_t n = 0;
  for (MlirBlock block = entry; !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block)) {
    agpu__map_set(&set.numbers, block.ptr, n);
    set.blocks[n++] = block;
  }
  reach_from(&set, entry);
  // They may refer to each other in circles, which a region that goes away
  // resolves.
  MlirRegion unreachable = mlirRegionCreate();
  for (size_t i = 0; i < set.count; ++i)
    if (!set.reached[i]) {
      mlirBlockDetach(set.blocks[i]);
      mlirRegionAppendOwnedBlock(unreachable, set.blocks[i]);
    }
  mlirRegionDestroy(unreachable);
  agpu__map_free(&set.numbers);
  free(set.reached);
  free(set.blocks);
}
