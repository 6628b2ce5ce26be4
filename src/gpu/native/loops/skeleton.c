//===- skeleton.c - What runs once for all threads ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uniform ops and the branches between parts make up a program of their own
// around the loops, the skeleton. Finds the values that it can compute, which
// is fewer than are uniform: what stands after a branch inside a part, and is
// not defined everywhere, stays there. Then moves them to the ^before of their
// parts.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

bool agpu__simt_in_skeleton(const agpu__simt_loops *self, MlirValue value) {
  return agpu__simt_is_uniform(&self->uniform, value) &&
         agpu__map_get(&self->not_in_skeleton, value.ptr) == AGPU__MAP_NONE;
}

static void exclude(agpu__simt_loops *self, MlirValue value) {
  agpu__map_set(&self->not_in_skeleton, value.ptr, 1);
}

/// Excludes the results of uniform ops that cannot be computed there.
static bool exclude_results(agpu__simt_loops *self, size_t block) {
  bool changed = false, first = self->division.part[block] == block;
  AGPU__OPS_FOREACH (op, self->graph.blocks[block]) {
    if (!mlirOperationGetNumResults(op) ||
        !agpu__simt_in_skeleton(self, mlirOperationGetResult(op, 0)))
      continue;
    agpu__simt_purity purity = agpu__simt_purity_of(op);
    bool can =
        purity == AGPU__SIMT_ANYWHERE || (purity == AGPU__SIMT_PURE && first);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      can &= agpu__simt_in_skeleton(self, mlirOperationGetOperand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !can; ++i)
      exclude(self, mlirOperationGetResult(op, i));
    changed |= !can;
  }
  return changed;
}

/// Whether argument `index` of `block` is a value of the skeleton on each way
/// to it, and the same on all ways from one part.
static bool is_handed_in_skeleton(const agpu__simt_loops *self, size_t block,
                                  intptr_t index) {
  const agpu__simt_graph *graph = &self->graph;
  for (size_t e = graph->pred_first[block]; e < graph->pred_first[block + 1];
       ++e) {
    size_t from = graph->preds[e];
    MlirValue value = mlirOperationGetOperand(
        mlirBlockGetTerminator(graph->blocks[from]), index);
    if (!agpu__simt_in_skeleton(self, value))
      return false;
    for (size_t o = graph->pred_first[block]; o < e; ++o) {
      size_t other = graph->preds[o];
      if (self->division.part[other] == self->division.part[from] &&
          !mlirValueEqual(
              mlirOperationGetOperand(
                  mlirBlockGetTerminator(graph->blocks[other]), index),
              value))
        return false;
    }
  }
  return true;
}

static bool exclude_arguments(agpu__simt_loops *self, size_t block) {
  bool changed = false, first = self->division.part[block] == block;
  MlirBlock mlir = self->graph.blocks[block];
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(mlir); ++i) {
    MlirValue argument = mlirBlockGetArgument(mlir, i);
    if (!agpu__simt_in_skeleton(self, argument) ||
        (first && is_handed_in_skeleton(self, block, i)))
      continue;
    exclude(self, argument);
    changed = true;
  }
  return changed;
}

void agpu__simt_find_skeleton(agpu__simt_loops *self) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < self->graph.count; ++b) {
      changed |= exclude_arguments(self, b);
      changed |= exclude_results(self, b);
    }
  }
}

void agpu__simt_begin_part(agpu__simt_loops *self, size_t block) {
  MlirBlock first = self->graph.blocks[block];
  agpu__simt_part *part = &self->parts[block];
  part->before = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(self->body, first, part->before);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(first); ++i) {
    MlirValue argument = mlirBlockGetArgument(first, i);
    if (!agpu__simt_in_skeleton(self, argument))
      continue;
    mlirValueReplaceAllUsesOfWith(
        argument, mlirBlockAddArgument(part->before, mlirValueGetType(argument),
                                       self->location));
  }
}

void agpu__simt_hoist(agpu__simt_loops *self, size_t block) {
  MlirBlock before = self->parts[self->division.part[block]].before;
  MlirOperation op = mlirBlockGetFirstOperation(self->graph.blocks[block]);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (mlirOperationGetNumResults(op) &&
        agpu__simt_in_skeleton(self, mlirOperationGetResult(op, 0))) {
      mlirOperationRemoveFromParent(op);
      mlirBlockAppendOwnedOperation(before, op);
    }
    op = next;
  }
}
