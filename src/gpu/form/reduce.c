//===- reduce.c - Transitive reduction of the dependences -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each task the set of regions that have surely ended before it: those that
// it depends on and, for those of them in its own block or around it, what
// these depend on. A region in a branch or a loop may not have run and implies
// nothing, and neither does one of the previous iteration.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

typedef struct reduction {
  agpu__task_graph *graph;
  size_t words;
  uint64_t *before; ///< a set of tasks for each
} reduction;

static uint64_t *row_of(const reduction *self, size_t task) {
  return self->before + task * self->words;
}

/// True if whenever a task of `scope` is reached, `task` has been spawned.
static bool is_certain(const agpu__task_graph *graph, size_t task,
                       size_t scope) {
  for (;;) {
    if (graph->tasks[task].scope == scope)
      return true;
    size_t owner = graph->scopes[scope].owner;
    if (owner == AGPU__NO_TASK)
      return false;
    scope = graph->tasks[owner].scope;
  }
}

static void reduce_task(const reduction *self, size_t number) {
  agpu__task *task = &self->graph->tasks[number];
  uint64_t *own = row_of(self, number);
  for (size_t i = 0; i < task->order_count; ++i) {
    const agpu__order *order = &task->orders[i];
    if (order->is_previous || !is_certain(self->graph, order->on, task->scope))
      continue;
    agpu__bits_add_all(own, row_of(self, order->on), self->words);
  }
  // Dependences that another one implies go; the others are added below.
  size_t kept = 0;
  for (size_t i = 0; i < task->order_count; ++i)
    if (task->orders[i].is_previous || !agpu__bits_has(own, task->orders[i].on))
      task->orders[kept++] = task->orders[i];
  task->order_count = kept;
  for (size_t i = 0; i < task->order_count; ++i)
    if (!task->orders[i].is_previous)
      agpu__bits_add(own, task->orders[i].on);
}

static void reduce_scope(const reduction *self, size_t scope) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    if (task->is_gone)
      continue;
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        reduce_scope(self, task->inner[k]);
    reduce_task(self, number);
  }
}

void agpu__reduce_orders(agpu__task_graph *graph) {
  reduction self = {graph, agpu__bits_words(graph->count), NULL};
  self.before =
      agpu__allocate((graph->count + 1) * self.words, sizeof(uint64_t));
  reduce_scope(&self, 0);
  free(self.before);
}
