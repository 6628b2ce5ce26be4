//===- rounds.c - Two buffers for all iterations -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At most two iterations with memory of their own are in flight (emit.c). So
// two buffers suffice, which iterations use in turn: they are loop-carried
// values, swapped by each iteration. They are freed after the loop, in a region
// that depends on all that use them. What does not wait for regions is in
// program order, or on the function's stream, on which regions depend.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

typedef struct candidate {
  agpu__task_graph *graph;
  size_t loop, object;
  MlirOperation allocation, release;
} candidate;

static bool touches(const agpu__task *task, size_t object) {
  for (size_t i = 0; i < task->effects.accesses.count; ++i)
    if (task->effects.accesses.data[i].object == object)
      return true;
  return false;
}

/// True if a task is a region in the loop that uses the object.
static bool uses(const candidate *self, size_t task) {
  const agpu__task *it = &self->graph->tasks[task];
  return !it->is_gone && it->kind == AGPU__TASK_REGION &&
         touches(it, self->object) &&
         agpu__task_in_scope(self->graph, task,
                             self->graph->tasks[self->loop].inner[0]) !=
             AGPU__NO_TASK;
}

/// The task that the op is in; AGPU__NO_TASK: none.
static size_t find_task(const agpu__task_graph *graph, MlirOperation op,
                        size_t *out_place) {
  for (size_t t = 0; t < graph->count; ++t)
    for (size_t i = 0; i < graph->tasks[t].ops.count; ++i)
      if (!graph->tasks[t].is_gone &&
          mlirOperationEqual(graph->tasks[t].ops.data[i], op)) {
        *out_place = i;
        return t;
      }
  return AGPU__NO_TASK;
}

/// The only op that frees the allocation, in the same block; a null op: there
/// is none, or there are several.
static MlirOperation find_release(MlirOperation allocation) {
  MlirOperation found = {NULL}, none = {NULL};
  AGPU__USES_FOREACH (use, agpu__result(allocation, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!agpu__op_is_any(user, "gpu.dealloc memref.dealloc"))
      continue;
    if (!mlirOperationIsNull(found) ||
        !mlirBlockEqual(mlirOperationGetBlock(user),
                        mlirOperationGetBlock(allocation)))
      return none;
    found = user;
  }
  return found;
}

/// True if what the allocation takes is there in front of the loop.
static bool is_ready_before(MlirOperation allocation, MlirBlock body) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(allocation); ++i) {
    MlirValue value = mlirOperationGetOperand(allocation, i);
    MlirBlock made = mlirValueIsAOpResult(value)
                         ? mlirOperationGetBlock(mlirOpResultGetOwner(value))
                         : mlirBlockArgumentGetOwner(value);
    if (mlirBlockEqual(made, body))
      return false;
  }
  return true;
}

static bool is_shared(candidate *self) {
  const agpu__objects *objects = &self->graph->function->objects;
  if (!agpu__op_is(self->allocation, "gpu.alloc") &&
      !agpu__op_is(self->allocation, "memref.alloc"))
    return false;
  self->object =
      agpu__place_of_memref(objects, agpu__result(self->allocation, 0)).object;
  const agpu__object *object = &objects->data[self->object];
  if (object->kind != AGPU__OBJECT_ALLOCATION || object->escapes ||
      mlirOperationGetNumResults(self->allocation) != 1 ||
      !is_ready_before(self->allocation,
                       mlirOperationGetBlock(self->allocation)))
    return false;
  self->release = find_release(self->allocation);
  size_t place;
  if (mlirOperationIsNull(self->release) ||
      find_task(self->graph, self->release, &place) == AGPU__NO_TASK)
    return false;
  for (size_t t = 0; t < self->graph->count; ++t)
    if (uses(self, t) && !self->graph->tasks[t].is_release)
      return true;
  return false;
}

/// Takes the release out of its task, which is gone if it was all.
static void drop_release(const candidate *self) {
  size_t place, number = find_task(self->graph, self->release, &place);
  agpu__task *task = &self->graph->tasks[number];
  for (size_t i = place + 1; i < task->ops.count; ++i)
    task->ops.data[i - 1] = task->ops.data[i];
  if (--task->ops.count == 0) {
    task->is_gone = true;
    for (size_t t = 0; t < self->graph->count; ++t) {
      agpu__task *other = &self->graph->tasks[t];
      size_t kept = 0;
      for (size_t i = 0; i < other->order_count; ++i)
        if (other->orders[i].on != number)
          other->orders[kept++] = other->orders[i];
      other->order_count = kept;
    }
  }
  mlirOperationDestroy(self->release);
}

/// Frees both after the loop, and after all regions in it that use them.
static void release_after(const candidate *self, const agpu__values *buffers,
                          bool on_device) {
  agpu__task_graph *graph = self->graph;
  MlirOperation loop = graph->tasks[self->loop].ops.data[0];
  size_t number = AGPU__NO_TASK;
  MlirOperation last = loop;
  for (size_t i = 0; i < buffers->count; ++i) {
    agpu__builder at = agpu__builder_after(last);
    at.location = mlirOperationGetLocation(self->allocation);
    agpu__op_spec spec = {.name = on_device ? "gpu.dealloc" : "memref.dealloc",
                          .operands = &buffers->data[i],
                          .operand_count = 1};
    last = agpu__build(&at, &spec);
    if (number == AGPU__NO_TASK)
      number = agpu__add_task_after(graph, self->loop, last);
    else
      agpu__ops_push(&graph->tasks[number].ops, last);
  }
  agpu__task *task = &graph->tasks[number];
  task->kind = AGPU__TASK_REGION;
  task->is_device = on_device;
  task->is_release = true;
  agpu__order *orders = agpu__allocate(graph->count, sizeof(*orders));
  task->orders = orders;
  task->order_capacity = graph->count;
  for (size_t t = 0; t < graph->count; ++t)
    if (t != number && uses(self, t))
      orders[task->order_count++] = (agpu__order){.on = t,
                                                  .object = self->object,
                                                  .writes = true,
                                                  .was_read = true,
                                                  .was_written = true};
}

static void share(candidate *self) {
  agpu__task_graph *graph = self->graph;
  MlirOperation loop = graph->tasks[self->loop].ops.data[0];
  MlirValue buffer = agpu__result(self->allocation, 0);
  MlirType type = mlirValueGetType(buffer), types[] = {type, type};
  MlirLocation location = mlirOperationGetLocation(self->allocation);
  bool on_device = agpu__op_is(self->allocation, "gpu.alloc");
  AGPU__SCOPED(values) buffers = {0}, swapped = {0};
  for (int i = 0; i < 2; ++i) {
    MlirOperation made = mlirOperationClone(self->allocation);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(loop), loop,
                                        made);
    agpu__values_push(&buffers, agpu__result(made, 0));
  }
  drop_release(self);
  MlirBlock body = agpu__entry_block(loop);
  MlirValue own = mlirBlockAddArgument(body, type, location);
  agpu__values_push(&swapped, mlirBlockAddArgument(body, type, location));
  agpu__values_push(&swapped, own);
  mlirValueReplaceAllUsesOfWith(buffer, own);
  mlirOperationRemoveFromParent(self->allocation);
  agpu__extend_yield(body, &swapped);
  graph->tasks[self->loop].ops.data[0] =
      agpu__rebuild_op(loop, &buffers, types, 2);

  graph->shared = realloc(graph->shared,
                          (graph->shared_count + 1) * sizeof(*graph->shared));
  if (!graph->shared)
    agpu__out_of_memory();
  graph->shared[graph->shared_count++] =
      (agpu__shared_buffer){self->object, self->loop, self->allocation};
  release_after(self, &buffers, on_device);
}

void agpu__share_rounds(agpu__task_graph *graph) {
  for (size_t t = 0, count = graph->count; t < count; ++t) {
    if (graph->tasks[t].kind != AGPU__TASK_LOOP)
      continue;
    MlirBlock body = agpu__entry_block(graph->tasks[t].ops.data[0]);
    for (MlirOperation next, op = mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      candidate self = {.graph = graph, .loop = t, .allocation = op};
      if (!is_shared(&self))
        continue;
      // What stands next may be what frees it.
      if (!mlirOperationIsNull(next) && mlirOperationEqual(next, self.release))
        next = mlirOperationGetNextInBlock(next);
      share(&self);
      // The loop's block is the one that it was.
      if (mlirOperationIsNull(next))
        break;
    }
  }
}
