//===- long_blocks.c - Blocks with many ops of scf ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's conversion of scf makes of each op moves the rest of its
// block. So a long block of a function is split beforehand. That of a loop or a
// branch cannot be, as it is the only one: such loops and branches become
// blocks of the function here, from the outside in.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

/// So many ops of scf stay in one block.
enum { LONG_BLOCK = 32 };

static void branch_with(MlirBlock block, MlirLocation location,
                        MlirBlock target, const agpu__values *operands,
                        MlirOperation loop) {
  MlirOperation made = agpu__branch_with(block, location, target,
                                         operands->data, operands->count);
  // What LLVM is told of a loop is on the branch back to its begin.
  for (intptr_t i = 0; !mlirOperationIsNull(loop) &&
                       i < mlirOperationGetNumDiscardableAttributes(loop);
       ++i) {
    MlirNamedAttribute one = mlirOperationGetDiscardableAttribute(loop, i);
    MlirDialect dialect = mlirAttributeGetDialect(one.attribute);
    if (mlirStringRefEqual(mlirDialectGetNamespace(dialect), agpu__str("llvm")))
      mlirOperationSetDiscardableAttributeByName(
          made, mlirIdentifierStr(one.name), one.attribute);
  }
}

/// Moves what stands in `from` in front of its scf.yield to the end of `to`.
/// Gives what it yields.
static agpu__values move_body(MlirBlock from, MlirBlock to) {
  MlirOperation yield = mlirBlockGetTerminator(from);
  agpu__builder at = agpu__builder_at_end(to, mlirOperationGetLocation(yield));
  agpu__move_ops(&at, mlirBlockGetFirstOperation(from), yield);
  return agpu__operands(yield, 0);
}

static void lower_for(MlirOperation loop) {
  MlirLocation location = mlirOperationGetLocation(loop);
  MlirBlock before = mlirOperationGetBlock(loop);
  MlirBlock rest = agpu__split_after(loop);
  MlirBlock head = agpu__block_after(before), body = agpu__block_after(head);
  MlirBlock from = agpu__entry_block(loop);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); ++i) {
    MlirValue old = mlirBlockGetArgument(from, i);
    MlirValue made =
        mlirBlockAddArgument(head, mlirValueGetType(old), location);
    mlirValueReplaceAllUsesOfWith(old, made);
    if (i > 0)
      mlirValueReplaceAllUsesOfWith(agpu__result(loop, i - 1), made);
  }
  MlirValue index = mlirBlockGetArgument(head, 0);

  AGPU__SCOPED(values) first = {0};
  AGPU__SCOPED(values) next = {0};
  AGPU__SCOPED(values) yielded = move_body(from, body);
  agpu__builder at = agpu__builder_at_end(body, location);
  agpu__values_push(&first, mlirOperationGetOperand(loop, 0));
  agpu__values_push(&next,
                    agpu__build_binary(&at, "arith.addi", index,
                                       mlirOperationGetOperand(loop, 2)));
  for (size_t i = 0; i < yielded.count; ++i) {
    agpu__values_push(&first, mlirOperationGetOperand(loop, 3 + (intptr_t)i));
    agpu__values_push(&next, yielded.data[i]);
  }
  branch_with(before, location, head, &first, (MlirOperation){NULL});
  branch_with(body, location, head, &next, loop);
  at = agpu__builder_at_end(head, location);
  MlirValue goes_on = agpu__build_compare(
      &at, "arith.cmpi",
      agpu__has_attr(loop, "unsignedCmp") ? AGPU__UNSIGNED_LESS
                                          : AGPU__SIGNED_LESS,
      index, mlirOperationGetOperand(loop, 1));
  agpu__branch_if(head, location, goes_on, body, rest);
  mlirOperationDestroy(loop);
}

static void lower_if(MlirOperation op) {
  MlirLocation location = mlirOperationGetLocation(op);
  MlirBlock before = mlirOperationGetBlock(op);
  MlirBlock rest = agpu__split_after(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = agpu__result(op, i);
    mlirValueReplaceAllUsesOfWith(
        result, mlirBlockAddArgument(rest, mlirValueGetType(result), location));
  }
  MlirBlock to[] = {rest, rest};
  for (int i = 1; i >= 0; --i) {
    MlirBlock from = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (mlirBlockIsNull(from))
      continue; // without an else
    to[i] = agpu__block_after(before);
    AGPU__SCOPED(values) yielded = move_body(from, to[i]);
    branch_with(to[i], location, rest, &yielded, (MlirOperation){NULL});
  }
  agpu__branch_if(before, location, mlirOperationGetOperand(op, 0), to[0],
                  to[1]);
  mlirOperationDestroy(op);
}

static size_t count_scf(MlirBlock block) {
  size_t count = 0;
  AGPU__OPS_FOREACH (op, block)
    count += agpu__op_in_dialect(op, "scf");
  return count;
}

/// Adds ops of scf that hold a long block, at any depth, to the set `data`.
static MlirWalkResult find_long(MlirOperation op, void *data) {
  static const char structured[] = "scf.for scf.if";
  agpu__map *holders = data;
  if (!agpu__op_is_any(op, structured))
    return MlirWalkResultAdvance;
  bool is_long = false;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    // The yield is one of them, too.
    is_long |= !mlirBlockIsNull(block) && count_scf(block) > LONG_BLOCK + 1;
  }
  for (; is_long && agpu__op_is_any(op, structured) &&
         agpu__map_get(holders, op.ptr) == AGPU__MAP_NONE;
       op = mlirOperationGetParentOperation(op))
    agpu__map_set(holders, op.ptr, 1);
  return MlirWalkResultAdvance;
}

/// From the end on, so that each op moves once.
static void split_long_block(MlirBlock block, const agpu__map *holders) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, block)
    if (agpu__op_in_dialect(op, "scf"))
      agpu__ops_push(&ops, op);
  for (size_t i = ops.count; i-- > 0;) {
    MlirOperation op = ops.data[i];
    if (agpu__map_get(holders, op.ptr) != AGPU__MAP_NONE) {
      if (agpu__op_is(op, "scf.for"))
        lower_for(op);
      else
        lower_if(op);
    } else if (i % LONG_BLOCK == LONG_BLOCK - 1 && i + 1 < ops.count) {
      agpu__branch(block, mlirOperationGetLocation(op), agpu__split_after(op));
    }
  }
}

static MlirWalkResult split_function(MlirOperation op, void *data) {
  (void)data;
  if (!agpu__op_is_any(op, "async.func func.func gpu.func"))
    return MlirWalkResultAdvance;
  AGPU__SCOPED(map) holders = {0};
  mlirOperationWalk(op, find_long, &holders, MlirWalkPostOrder);
  MlirRegion region = mlirOperationGetRegion(op, 0);
  AGPU__BLOCKS_FOREACH (block, region)
    split_long_block(block, &holders);
  return MlirWalkResultSkip;
}

void agpu__split_long_blocks(MlirOperation module) {
  mlirOperationWalk(module, split_function, NULL, MlirWalkPreOrder);
}
