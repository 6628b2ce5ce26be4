//===- hoist.c - Regions begin early -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stays where it is waits for what it reads, and whatever follows it
// begins later. So the op of a region that has no order with it, and whose
// operands are there, goes in front of it. The program stays the sequential one
// that it was, as only ops without an order change places.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

/// The last op of a block that something has to stay after.
typedef struct bound {
  MlirBlock block;
  MlirOperation op; ///< the one that moves
  MlirOperation last;
} bound;

static void raise(bound *self, MlirOperation op) {
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, self->op))
    return;
  if (mlirOperationIsNull(self->last) ||
      mlirOperationIsBeforeInBlock(self->last, op))
    self->last = op;
}

static MlirWalkResult raise_by_operands(MlirOperation op, void *data) {
  bound *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(value))
      raise(self,
            agpu__find_in_block(mlirOpResultGetOwner(value), self->block));
  }
  return MlirWalkResultAdvance;
}

/// True if what follows the task begins later because of it.
static bool holds_up(const agpu__task *task) {
  return agpu__task_is_composite(task) ||
         (task->kind == AGPU__TASK_INLINE &&
          (task->order_count || task->is_heavy));
}

static void hoist(agpu__task_graph *graph, size_t scope, size_t place) {
  size_t *tasks = graph->scopes[scope].tasks, number = tasks[place];
  agpu__task *task = &graph->tasks[number];
  bound self = {graph->scopes[scope].block, task->ops.data[0], {NULL}};
  mlirOperationWalk(self.op, raise_by_operands, &self, MlirWalkPreOrder);
  for (size_t i = 0; i < task->order_count; ++i) {
    size_t on = agpu__task_in_scope(graph, task->orders[i].on, scope);
    if (on != AGPU__NO_TASK && on != number && !task->orders[i].is_previous)
      raise(&self, graph->tasks[on].ops.data[0]);
  }
  size_t to = place;
  for (size_t i = place; i-- > 0;) {
    const agpu__task *other = &graph->tasks[tasks[i]];
    if (!mlirOperationIsNull(self.last) &&
        !mlirOperationIsBeforeInBlock(self.last, other->ops.data[0]))
      break;
    if (holds_up(other))
      to = i;
  }
  if (to == place)
    return;
  mlirOperationMoveBefore(self.op, graph->tasks[tasks[to]].ops.data[0]);
  for (size_t i = place; i > to; --i)
    tasks[i] = tasks[i - 1];
  tasks[to] = number;
}

void agpu__hoist_tasks(agpu__task_graph *graph) {
  for (size_t s = 0; s < graph->scope_count; ++s)
    for (size_t i = 0; i < graph->scopes[s].count; ++i) {
      const agpu__task *task = &graph->tasks[graph->scopes[s].tasks[i]];
      if (task->kind == AGPU__TASK_REGION && !task->is_release)
        hoist(graph, s, i);
    }
}
