//===- form_remarks.c - What was formed, in words -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions about a block as remarks: how many regions, what each of them
// and each wait depends on, and why. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include "lower/pass/diagnostics.h"

#include <stdlib.h>

typedef struct remarks {
  const agpu__task_graph *graph;
  bool *goes_on; ///< of tasks: another region has its chain
} remarks;

/// "the gpu.alloc at f.mlir:3:5"; the caller frees it.
static char *name_object(const remarks *self, size_t number) {
  const agpu__object *object = &self->graph->function->objects.data[number];
  switch (object->kind) {
  case AGPU__OBJECT_WORLD: return agpu__format("what is printed or asserted");
  case AGPU__OBJECT_ELSEWHERE:
    return agpu__format("memory that is known elsewhere");
  case AGPU__OBJECT_ARGUMENT:
    return agpu__format("argument %zu", object->argument);
  case AGPU__OBJECT_GLOBAL: {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(object->symbol);
    return agpu__format("@%.*s", AGPU__STR(name));
  }
  case AGPU__OBJECT_ALLOCATION:
  case AGPU__OBJECT_RESULT:
  case AGPU__OBJECT_FLOW: break;
  }
  if (!mlirValueIsAOpResult(object->value))
    return agpu__format("memory of a launch");
  MlirOperation op = mlirOpResultGetOwner(object->value);
  MlirStringRef name = agpu__op_name(op);
  agpu__place place = agpu__place_of(mlirOperationGetLocation(op));
  return agpu__format("the %.*s in line %d", AGPU__STR(name), place.line);
}

static const char *does(bool reads, bool writes) {
  return !writes ? "reads" : reads ? "reads and writes" : "writes";
}

/// "it reads the gpu.alloc in line 3, which that writes".
static char *name_reason(const remarks *self, const agpu__order *order) {
  AGPU__OWNED char *object = name_object(self, order->object);
  return agpu__format("it %s %s, which that %s",
                      does(order->reads, order->writes), object,
                      does(order->was_read, order->was_written));
}

static void remark_orders(const remarks *self, const agpu__task *task) {
  MlirLocation location = mlirOperationGetLocation(task->ops.data[0]);
  size_t own = (size_t)(task - self->graph->tasks);
  for (size_t i = 0; i < task->order_count; ++i) {
    const agpu__order *order = &task->orders[i];
    if (order->on == own)
      continue;
    AGPU__OWNED char *why = name_reason(self, order);
    const char *when = order->is_previous ? " of the round before" : "";
    if (task->kind == AGPU__TASK_REGION)
      agpu__remark(location, "region %zu depends on region %zu%s: %s",
                   task->number, self->graph->tasks[order->on].number, when,
                   why);
    else
      agpu__remark(location, "waits for region %zu%s: %s",
                   self->graph->tasks[order->on].number, when, why);
  }
}

/// Gives the region a chain of its own, or that of one that it depends on
/// and that no other region continues.
static bool begins_chain(remarks *self, size_t number) {
  const agpu__task *task = &self->graph->tasks[number];
  for (size_t i = task->order_count; i-- > 0;) {
    size_t on = task->orders[i].on;
    if (on == number || self->goes_on[on])
      continue;
    self->goes_on[on] = true;
    return false;
  }
  return true;
}

/// A region: what it is and takes, and which ops have come into it.
static void remark_region(const agpu__task *task) {
  AGPU__OWNED char *cost =
      task->is_release ? agpu__format("frees memory")
      : task->weight < AGPU__MANY_OPS
          ? agpu__format("takes about %lld instructions",
                         (long long)task->weight)
          : agpu__format("takes an unknown number of instructions");
  agpu__remark(mlirOperationGetLocation(task->ops.data[0]),
               "region %zu: %s, %zu %s, which %s", task->number,
               task->is_device ? "device" : "host", task->ops.count,
               task->ops.count == 1 ? "op" : "ops", cost);
  for (size_t i = 1; i < task->ops.count; ++i)
    agpu__remark(mlirOperationGetLocation(task->ops.data[i]),
                 "part of region %zu", task->number);
}

/// True if the task might be a region, and is too light for one.
static bool is_light(const agpu__task *task) {
  return task->kind == AGPU__TASK_INLINE && !task->stays && !task->is_heavy &&
         !task->is_release;
}

static void remark_light(const remarks *self, const agpu__task *task) {
  agpu__remark(mlirOperationGetLocation(task->ops.data[0]),
               "takes about %lld instructions with what depends on it alone: a "
               "region needs at least %lld",
               (long long)task->weight,
               (long long)(task->is_device ? self->graph->costs.device
                                           : self->graph->costs.host));
}

/// True if it might be a region, but for what would run beside it.
static bool is_full(const agpu__task *task) {
  return task->kind == AGPU__TASK_INLINE && !task->stays && task->is_heavy &&
         !task->is_release && task->fills_cpus;
}

static void remark_scope(remarks *self, size_t scope) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    const agpu__task *task =
        &self->graph->tasks[self->graph->scopes[scope].tasks[i]];
    if (task->is_gone)
      continue;
    if (task->kind == AGPU__TASK_REGION)
      remark_region(task);
    else if (is_light(task))
      remark_light(self, task);
    else if (is_full(task))
      agpu__remark(mlirOperationGetLocation(task->ops.data[0]),
                   "fills all CPUs of the emulated device: nothing is gained "
                   "beside another kernel that does");
    remark_orders(self, task);
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        remark_scope(self, task->inner[k]);
  }
}

static size_t number_scope(agpu__task_graph *graph, size_t scope,
                           size_t number) {
  for (size_t i = 0; i < graph->scopes[scope].count; ++i) {
    agpu__task *task = &graph->tasks[graph->scopes[scope].tasks[i]];
    if (!task->is_gone && task->kind == AGPU__TASK_REGION)
      task->number = number++;
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        number = number_scope(graph, task->inner[k], number);
  }
  return number;
}

size_t agpu__number_regions(agpu__task_graph *graph, size_t first) {
  return graph->count ? number_scope(graph, 0, first) : first;
}

/// Counts the regions of a scope, and chains of them.
static void count_scope(remarks *self, size_t scope, size_t *regions,
                        size_t *chains) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    if (!task->is_gone && task->kind == AGPU__TASK_REGION) {
      ++*regions;
      // In a loop its own rounds go on from each other.
      size_t owner = self->graph->scopes[scope].owner;
      bool loops = owner != AGPU__NO_TASK &&
                   self->graph->tasks[owner].kind == AGPU__TASK_LOOP;
      *chains += loops || begins_chain(self, number);
    }
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        count_scope(self, task->inner[k], regions, chains);
  }
}

void agpu__form_remark(const agpu__task_graph *graph) {
  if (!graph->count)
    return;
  remarks self = {
      .graph = graph,
      .goes_on = agpu__allocate(graph->count, sizeof(*self.goes_on)),
  };
  size_t regions = 0, chains = 0;
  count_scope(&self, 0, &regions, &chains);
  MlirLocation location = mlirOperationGetLocation(graph->function->function);
  if (regions)
    agpu__remark(location, "%zu tasks form %zu regions, up to %zu concurrent",
                 graph->count, regions, chains);
  else
    agpu__remark(location,
                 "%zu task%s no region: none that is large enough can run "
                 "concurrently with another",
                 graph->count, graph->count == 1 ? " forms" : "s form");
  if (graph->newer_count)
    agpu__remark(
        location,
        "%zu time%s memory that may be the same is allocated behind an "
        "access, which needs no order with accesses of it",
        graph->newer_count, graph->newer_count == 1 ? "" : "s");
  remark_scope(&self, 0);
  free(self.goes_on);
}
