//===- task_graph.c - The tasks of a sequential function -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that compute, name memory or allocate it are no tasks: they stay where
// they are. Each other op is one, with all that is in it; only scf.if and
// scf.for that hold work for the device are entered.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include "gpu/plan/plan.h"

#include <stdlib.h>

static size_t add_scope(agpu__task_graph *self, MlirBlock block, size_t owner) {
  AGPU__GROW(self->scopes, self->scope_count, self->scope_capacity);
  self->scopes[self->scope_count] = (agpu__task_scope){
      .block = block,
      .owner = owner,
      .depth = owner == AGPU__NO_TASK
                   ? 0
                   : self->scopes[self->tasks[owner].scope].depth + 1};
  return self->scope_count++;
}

static size_t add_task(agpu__task_graph *self, size_t scope, MlirOperation op) {
  AGPU__GROW(self->tasks, self->count, self->capacity);
  size_t number = self->count++;
  self->tasks[number] =
      (agpu__task){.scope = scope, .inner = {AGPU__NO_TASK, AGPU__NO_TASK}};
  agpu__ops_push(&self->tasks[number].ops, op);
  agpu__task_scope *in = &self->scopes[scope];
  AGPU__GROW(in->tasks, in->count, in->capacity);
  in->tasks[in->count++] = number;
  return number;
}

static MlirWalkResult find_device_op(MlirOperation op, void *data) {
  if (!agpu__op_in_dialect(op, "gpu") || agpu__op_is(op, "gpu.wait"))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

/// An assertion would be the region's error, memory of the stack would be the
/// region's, and a stream of the program's own has an order that is not seen.
static MlirWalkResult find_bound_op(MlirOperation op, void *data) {
  if (!agpu__op_is(op, "cf.assert") && !agpu__op_is(op, "memref.alloca") &&
      !agpu__has_attr(op, AGPU__ENQUEUE_ATTR))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

/// Whether `find` finds one in `op`.
static bool holds(MlirOperation op, MlirOperationWalkCallback find) {
  bool found = false;
  mlirOperationWalk(op, find, &found, MlirWalkPreOrder);
  return found;
}

/// What others see of an op of the host has to come from this thread, in its
/// order.
static bool has_to_stay(const agpu__task *task, MlirOperation op) {
  if (agpu__has_used_results(op) || (agpu__op_is(op, "gpu.launch_func") &&
                                     agpu__segment(op, AGPU__LAUNCH_OBJECT)))
    return true;
  if (!task->is_device && holds(op, find_bound_op))
    return true;
  for (size_t i = 0; i < task->effects.accesses.count && !task->is_device; ++i)
    if (task->effects.accesses.data[i].object == AGPU__WORLD)
      return true;
  return false;
}

static void add_tasks(agpu__task_graph *self, size_t scope);

static void add_inner(agpu__task_graph *self, size_t number, int which,
                      MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block))
    return;
  size_t scope = add_scope(self, block, number);
  self->tasks[number].inner[which] = scope;
  add_tasks(self, scope);
}

static void add_op(agpu__task_graph *self, size_t scope, MlirOperation op) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  agpu__op_class class = memory.class;
  // A memref.reshape reads the shape.
  if (class == AGPU__OP_PURE || (class == AGPU__OP_VIEW && !memory.reads) ||
      class == AGPU__OP_ALLOCATES || class == AGPU__OP_GLOBAL)
    return;
  size_t number = add_task(self, scope, op);
  agpu__task *task = &self->tasks[number];
  bool is_loop = agpu__op_is(op, "scf.for");
  if ((is_loop || agpu__op_is(op, "scf.if")) && holds(op, find_device_op)) {
    task->kind = is_loop ? AGPU__TASK_LOOP : AGPU__TASK_IF;
    // What it touches is what those in it do.
    agpu__op_effects all = {0};
    agpu__add_op_effects(self->summaries, &self->function->objects, op, &all);
    task->effects.cost = all.cost;
    task->effects.device_cost = all.device_cost;
    agpu__accesses_free(&all.accesses);
    for (int i = 0; i < mlirOperationGetNumRegions(op); ++i)
      add_inner(self, number, i, mlirOperationGetRegion(op, i));
    return;
  }
  agpu__add_op_effects(self->summaries, &self->function->objects, op,
                       &task->effects);
  task->is_device = agpu__op_in_dialect(op, "gpu") && class != AGPU__OP_UNKNOWN;
  task->is_release = agpu__op_has(op, AGPU__OP_RELEASES);
  task->stays = has_to_stay(task, op);
}

static void add_tasks(agpu__task_graph *self, size_t scope) {
  MlirBlock block = self->scopes[scope].block;
  MlirOperation last = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, last);
       op = mlirOperationGetNextInBlock(op))
    add_op(self, scope, op);
}

void agpu__task_graph_create(agpu__summaries *summaries,
                             const agpu__summary *function, MlirBlock block,
                             agpu__region_costs costs,
                             agpu__task_graph *out_graph) {
  *out_graph = (agpu__task_graph){
      .summaries = summaries, .function = function, .costs = costs};
  add_scope(out_graph, block, AGPU__NO_TASK);
  add_tasks(out_graph, 0);
}

void agpu__task_graph_free(agpu__task_graph *graph) {
  for (size_t i = 0; i < graph->count; ++i) {
    agpu__ops_free(&graph->tasks[i].ops);
    agpu__accesses_free(&graph->tasks[i].effects.accesses);
    free(graph->tasks[i].orders);
    agpu__map_free(&graph->tasks[i].order_places);
  }
  for (size_t i = 0; i < graph->scope_count; ++i)
    free(graph->scopes[i].tasks);
  for (size_t i = 0; i < graph->shared_count; ++i)
    mlirOperationDestroy(graph->shared[i].allocation);
  free(graph->shared);
  free(graph->scopes);
  free(graph->tasks);
  memset(graph, 0, sizeof(*graph));
}

size_t agpu__add_task_after(agpu__task_graph *graph, size_t task,
                            MlirOperation op) {
  size_t scope = graph->tasks[task].scope;
  size_t number = add_task(graph, scope, op);
  agpu__task_scope *in = &graph->scopes[scope];
  for (size_t i = in->count - 1; i > 0 && in->tasks[i - 1] != task; --i) {
    in->tasks[i] = in->tasks[i - 1];
    in->tasks[i - 1] = number;
  }
  return number;
}

size_t agpu__task_in_scope(const agpu__task_graph *graph, size_t task,
                           size_t scope) {
  while (graph->tasks[task].scope != scope) {
    const agpu__task_scope *around = &graph->scopes[graph->tasks[task].scope];
    if (around->depth <= graph->scopes[scope].depth)
      return AGPU__NO_TASK;
    task = around->owner;
  }
  return task;
}

void agpu__task_common_scope(const agpu__task_graph *graph, size_t *one,
                             size_t *other) {
  while (graph->tasks[*one].scope != graph->tasks[*other].scope) {
    const agpu__task_scope *a = &graph->scopes[graph->tasks[*one].scope];
    const agpu__task_scope *b = &graph->scopes[graph->tasks[*other].scope];
    if (a->depth >= b->depth)
      *one = a->owner;
    if (b->depth >= a->depth)
      *other = b->owner;
  }
}

/// Where the order on that task is in `orders`; AGPU__MAP_NONE: there is none.
/// Few are looked through. Of many there is a map, made anew where some have
/// been taken away, since those left are elsewhere then.
static size_t find_order(agpu__task *task, size_t on) {
  enum { FEW = 16 };
  if (task->order_count <= FEW) {
    agpu__map_free(&task->order_places);
    for (size_t i = 0; i < task->order_count; ++i)
      if (task->orders[i].on == on)
        return i;
    return AGPU__MAP_NONE;
  }
  if (task->order_places.count != task->order_count) {
    agpu__map_free(&task->order_places);
    for (size_t i = 0; i < task->order_count; ++i)
      agpu__map_set(&task->order_places, agpu__number_key(task->orders[i].on),
                    i);
  }
  return agpu__map_get(&task->order_places, agpu__number_key(on));
}

void agpu__task_add_order(agpu__task *task, agpu__order order) {
  size_t place = find_order(task, order.on);
  if (place != AGPU__MAP_NONE) {
    task->orders[place].is_previous &= order.is_previous;
    return;
  }
  if (task->order_places.count)
    agpu__map_set(&task->order_places, agpu__number_key(order.on),
                  task->order_count);
  AGPU__GROW(task->orders, task->order_count, task->order_capacity);
  task->orders[task->order_count++] = order;
}

bool agpu__object_is_of_round(const agpu__task_graph *graph, size_t object,
                              size_t task) {
  if (graph->renamed && graph->renamed[object] == task)
    return true;
  MlirOperation loop = graph->tasks[task].ops.data[0], op = {NULL};
  for (size_t i = 0; i < graph->shared_count; ++i)
    if (graph->shared[i].object == object)
      op = graph->tasks[graph->shared[i].loop].ops.data[0];
  const agpu__object *it = &graph->function->objects.data[object];
  if (it->kind != AGPU__OBJECT_ALLOCATION || it->escapes ||
      !mlirValueIsAOpResult(it->value))
    return false;
  if (mlirOperationIsNull(op))
    op = mlirOpResultGetOwner(it->value);
  return agpu__is_inside(op, loop);
}
