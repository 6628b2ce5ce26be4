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

/// What is known while the tasks of a scope are gone through, in order. Ops
/// move afterwards: each question behind a move would have MLIR number the
/// block anew. An op that stays is at twice its number plus one, one that moves
/// at twice that of the task it goes in front of.
typedef struct hoisting {
  agpu__task_graph *graph;
  size_t scope;
  agpu__map places;        ///< of ops
  agpu__numbers holds;     ///< tasks that hold up what follows
  agpu__numbers *in_front; ///< of each of these: what goes there
  MlirOperation op;        ///< the one looked at, or in it
  size_t after;            ///< the last place that it has to stay after
} hoisting;

static void stay_after(hoisting *self, MlirOperation op) {
  if (mlirOperationIsNull(op) || mlirOperationEqual(op, self->op))
    return;
  size_t place = agpu__map_get(&self->places, op.ptr);
  if (place > self->after)
    self->after = place;
}

static MlirWalkResult stay_after_operands(MlirOperation op, void *data) {
  hoisting *self = data;
  MlirBlock block = self->graph->scopes[self->scope].block;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(value))
      stay_after(self, agpu__find_in_block(mlirOpResultGetOwner(value), block));
  }
  return MlirWalkResultAdvance;
}

/// True if what follows the task begins later because of it.
static bool holds_up(const agpu__task *task) {
  return agpu__task_is_composite(task) ||
         (task->kind == AGPU__TASK_INLINE &&
          (task->order_count || task->is_heavy));
}

static MlirOperation op_of(const hoisting *self, size_t task) {
  return self->graph->tasks[task].ops.data[0];
}

/// The first that holds up behind place `after`, of those met so far.
static size_t first_behind(const hoisting *self, size_t after) {
  size_t low = 0, high = self->holds.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    MlirOperation op = op_of(self, self->holds.data[middle]);
    if (agpu__map_get(&self->places, op.ptr) > after)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Where the task of a region goes: an index of `holds`, its end for nowhere.
static size_t find_place(hoisting *self, size_t number) {
  const agpu__task *task = &self->graph->tasks[number];
  self->op = task->ops.data[0];
  self->after = 0;
  mlirOperationWalk(self->op, stay_after_operands, self, MlirWalkPreOrder);
  for (size_t i = 0; i < task->order_count; ++i) {
    size_t on =
        agpu__task_in_scope(self->graph, task->orders[i].on, self->scope);
    if (on != AGPU__NO_TASK && on != number && !task->orders[i].is_previous)
      stay_after(self, op_of(self, on));
  }
  return first_behind(self, self->after);
}

static void number_ops(hoisting *self) {
  size_t place = 0;
  AGPU__OPS_FOREACH (op, self->graph->scopes[self->scope].block)
    agpu__map_set(&self->places, op.ptr, 2 * place++ + 1);
}

/// Finds what goes in front of what; the others are `staying`, in order.
static void find_places(hoisting *self, agpu__numbers *staying) {
  const agpu__task_scope *in = &self->graph->scopes[self->scope];
  for (size_t i = 0; i < in->count; ++i) {
    size_t number = in->tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    bool may_move = task->kind == AGPU__TASK_REGION && !task->is_release;
    size_t to = may_move ? find_place(self, number) : self->holds.count;
    if (to < self->holds.count) {
      agpu__numbers_push(&self->in_front[to], number);
      MlirOperation before = op_of(self, self->holds.data[to]);
      agpu__map_set(&self->places, op_of(self, number).ptr,
                    agpu__map_get(&self->places, before.ptr) - 1);
      continue;
    }
    agpu__numbers_push(staying, number);
    if (holds_up(task))
      agpu__numbers_push(&self->holds, number);
  }
}

static void move_tasks(const hoisting *self, const agpu__numbers *staying) {
  agpu__task_scope *in = &self->graph->scopes[self->scope];
  size_t count = 0, hold = 0;
  for (size_t i = 0; i < staying->count; ++i) {
    size_t number = staying->data[i];
    if (hold < self->holds.count && self->holds.data[hold] == number) {
      const agpu__numbers *moved = &self->in_front[hold++];
      for (size_t k = 0; k < moved->count; ++k) {
        in->tasks[count++] = moved->data[k];
        mlirOperationMoveBefore(op_of(self, moved->data[k]),
                                op_of(self, number));
      }
    }
    in->tasks[count++] = number;
  }
}

void agpu__hoist_tasks(agpu__task_graph *graph) {
  for (size_t s = 0; s < graph->scope_count; ++s) {
    hoisting self = {.graph = graph, .scope = s};
    self.in_front =
        agpu__allocate(graph->scopes[s].count, sizeof(*self.in_front));
    agpu__numbers staying = {0};
    number_ops(&self);
    find_places(&self, &staying);
    move_tasks(&self, &staying);
    for (size_t i = 0; i < self.holds.count; ++i)
      free(self.in_front[i].data);
    free(self.in_front);
    free(self.holds.data);
    free(staying.data);
    agpu__map_free(&self.places);
  }
}
