//===- reduce.c - Transitive reduction of the dependences -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An order on a region is implied where that has surely ended before another
// region that the task depends on: where that one depends on it or, if it is
// in the task's own block or around it, what that depends on. A region in a
// branch or a loop may not have run and implies nothing, and neither does one
// of the previous iteration.
//
// One that is not found costs a wait that is not needed. So all searches
// together take no more steps than the tasks pay for.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

enum { STEPS_FOR_EACH = 256 };

typedef struct reduction {
  agpu__task_graph *graph;
  size_t *places; ///< of tasks in program order
  size_t *marks;  ///< the last task, plus one, before which a region has ended
  size_t *wanted; ///< the last one that depends on it
  size_t *list;   ///< of tasks whose orders are to be looked at
  size_t place, steps;
} reduction;

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

/// Marks what has ended before what task `number` depends on, until all of that
/// is marked itself. Regions depend on those before them, so none before the
/// first of these needs a look.
static void mark_implied(reduction *self, size_t number) {
  const agpu__task *tasks = self->graph->tasks, *task = &tasks[number];
  size_t first = SIZE_MAX, wanted = 0, count = 0;
  for (size_t i = 0; i < task->order_count; ++i) {
    size_t on = task->orders[i].on;
    if (task->orders[i].is_previous || self->wanted[on] == number + 1)
      continue;
    self->wanted[on] = number + 1;
    ++wanted;
    if (self->places[on] < first)
      first = self->places[on];
    if (is_certain(self->graph, on, task->scope))
      self->list[count++] = on;
  }
  // Nothing marks the last one of those wanted.
  while (count && wanted > 1) {
    const agpu__task *by = &tasks[self->list[--count]];
    for (size_t i = 0; i < by->order_count && self->steps; ++i) {
      size_t on = by->orders[i].on;
      --self->steps;
      if (by->orders[i].is_previous || self->places[on] < first ||
          self->marks[on] == number + 1)
        continue;
      self->marks[on] = number + 1;
      bool is_wanted = self->wanted[on] == number + 1;
      wanted -= is_wanted;
      if (is_certain(self->graph, on, by->scope) &&
          !(is_wanted && is_certain(self->graph, on, task->scope)))
        self->list[count++] = on;
    }
  }
}

static void reduce_task(reduction *self, size_t number) {
  agpu__task *task = &self->graph->tasks[number];
  self->steps += STEPS_FOR_EACH;
  mark_implied(self, number);
  size_t kept = 0;
  for (size_t i = 0; i < task->order_count; ++i)
    if (task->orders[i].is_previous ||
        self->marks[task->orders[i].on] != number + 1)
      task->orders[kept++] = task->orders[i];
  task->order_count = kept;
}

static void reduce_scope(reduction *self, size_t scope) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    if (task->is_gone)
      continue;
    self->places[number] = self->place++;
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        reduce_scope(self, task->inner[k]);
    reduce_task(self, number);
  }
}

static size_t *numbers(size_t count) {
  return agpu__allocate(count + 1, sizeof(size_t));
}

void agpu__reduce_orders(agpu__task_graph *graph) {
  AGPU__OWNED size_t *places = numbers(graph->count);
  AGPU__OWNED size_t *marks = numbers(graph->count);
  AGPU__OWNED size_t *wanted = numbers(graph->count);
  AGPU__OWNED size_t *list = numbers(2 * graph->count);
  reduction self = {.graph = graph,
                    .places = places,
                    .marks = marks,
                    .wanted = wanted,
                    .list = list};
  reduce_scope(&self, 0);
}
