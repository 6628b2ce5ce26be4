//===- exits.c - Ways out of a part ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a thread leaves its part it goes to the latch, and once all have, the
// skeleton takes the exit that they have in common. Values that a thread hands
// on are stored before.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

/// Appends the jump from `block` of the skeleton to the part that `branch`,
/// an llvm.br, leads to.
static void leave_by(agpu__simt_loops *self, MlirBlock block,
                     MlirOperation branch) {
  size_t to = agpu__map_get(&self->graph.numbers,
                            mlirOperationGetSuccessor(branch, 0).ptr);
  AGPU__SCOPED(values) values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(branch); ++i)
    if (agpu__simt_in_skeleton(self,
                               mlirBlockGetArgument(self->graph.blocks[to], i)))
      agpu__values_push(&values, mlirOperationGetOperand(branch, i));
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(branch));
  agpu__llvm_branch(&at, self->parts[to].before, values.data, values.count);
}

void agpu__simt_leave(agpu__simt_loops *self, size_t block,
                      agpu__simt_part *part, MlirOperation end) {
  const agpu__simt_graph *graph = &self->graph;
  if (part->has_exit) {
    mlirOperationDestroy(end);
    return;
  }
  part->has_exit = true;
  if (agpu__op_is(end, "llvm.br")) {
    leave_by(self, part->after, end);
    mlirOperationDestroy(end);
    return;
  }
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s)
    mlirOperationSetSuccessor(
        end, s,
        self->parts[graph->succs[graph->succ_first[block] + (size_t)s]].before);
  mlirOperationRemoveFromParent(end);
  mlirBlockAppendOwnedOperation(part->after, end);
  if (mlirOperationGetNumOperands(end) &&
      !agpu__simt_in_skeleton(self, mlirOperationGetOperand(end, 0))) {
    agpu__builder at = agpu__builder_before(end);
    mlirOperationSetOperand(
        end, 0,
        agpu__simt_load_first(self, &at, mlirOperationGetOperand(end, 0)));
  }
}

/// The llvm.br `end` leads to another part: stores the values that each
/// thread hands on.
static void hand_on(agpu__simt_loops *self, size_t block, MlirOperation end) {
  size_t to = self->graph.succs[self->graph.succ_first[block]];
  agpu__simt_part *part = &self->parts[self->division.part[block]];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirValue argument = mlirBlockGetArgument(self->graph.blocks[to], i);
    if (agpu__simt_in_skeleton(self, argument))
      continue;
    agpu__builder at = agpu__builder_before(end);
    agpu__simt_store_slot(
        self, part, &at,
        agpu__simt_local(self, part, mlirOperationGetOperand(end, i)),
        argument);
  }
}

/// The next thread goes on. Once all have gone as far as the part leads, the
/// launch ends: none of them would know which threads are left.
static void end_thread(agpu__simt_loops *self, agpu__simt_part *part,
                       MlirOperation end) {
  agpu__builder at = agpu__builder_before(end);
  agpu__llvm_branch(&at, part->latch, NULL, 0);
  mlirOperationDestroy(end);
  if (part->checks_assertions)
    return;
  part->checks_assertions = true;
  at = agpu__builder_at_start(part->after, self->location);
  agpu__simt_check_assertions(&at, self->gpu_module);
}

void agpu__simt_rewrite_end(agpu__simt_loops *self, size_t block) {
  const agpu__simt_graph *graph = &self->graph;
  agpu__simt_part *part = &self->parts[self->division.part[block]];
  MlirOperation end = mlirBlockGetTerminator(graph->blocks[block]);
  if (agpu__simt_ends_thread(end)) {
    end_thread(self, part, end);
    return;
  }
  bool jumps = agpu__op_is(end, "llvm.br");
  bool leaves = self->division.cut[block] || agpu__op_is(end, "llvm.return") ||
                (jumps && agpu__simt_begins_part(
                              self, graph->succs[graph->succ_first[block]]));
  if (!leaves) {
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
      size_t to = graph->succs[graph->succ_first[block] + (size_t)s];
      if (!agpu__simt_begins_part(self, to))
        continue;
      mlirOperationSetSuccessor(end, s, part->latch);
      if (part->has_exit)
        continue;
      part->has_exit = true;
      agpu__builder at = agpu__builder_at_end(part->after, self->location);
      agpu__llvm_branch(&at, self->parts[to].before, NULL, 0);
    }
    return;
  }
  if (jumps)
    hand_on(self, block, end);
  agpu__builder at = agpu__builder_before(end);
  at.block = graph->blocks[block];
  agpu__llvm_branch(&at, part->latch, NULL, 0);
  agpu__simt_leave(self, block, part, end);
}
