//===- chains.c - Maximal paths of tasks ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain is a maximal path of tasks of one kind in one scope: each task is the
// only successor of the one before, and adds no dependence that the first
// lacks. A chain may run as one region. The costs of its tasks are added up, as
// a region for the whole chain costs no more than one for a task.
//
// A merged task stands where the last of its tasks stood; the others are gone.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

/// Chains of all tasks, by the first task of each.
typedef struct chains {
  agpu__task_graph *graph;
  size_t *first;      ///< of each task; itself, if it is in no chain
  size_t *last;       ///< of each first one
  size_t *successors; ///< how many others depend on a task
} chains;

static size_t *numbers(size_t count) {
  size_t *made = agpu__allocate(count + 1, sizeof(*made));
  return made;
}

static bool depends_on(const agpu__task *task, size_t on) {
  for (size_t i = 0; i < task->order_count; ++i)
    if (task->orders[i].on == on)
      return true;
  return false;
}

static chains begin_chains(agpu__task_graph *graph) {
  chains self = {graph, numbers(graph->count), numbers(graph->count),
                 numbers(graph->count)};
  for (size_t t = 0; t < graph->count; ++t) {
    const agpu__task *task = &graph->tasks[t];
    self.first[t] = self.last[t] = t;
    for (size_t i = 0; i < task->order_count; ++i)
      self.successors[task->orders[i].on] += task->orders[i].on != t;
  }
  return self;
}

static void chains_free(chains *self) {
  free(self->first);
  free(self->last);
  free(self->successors);
}

/// True if the first task of a chain might run concurrently with `later` of the
/// previous iteration, which it could not as one region with it.
static bool is_pipeline(const chains *self, const agpu__task *first,
                        size_t later) {
  const agpu__task *task = &self->graph->tasks[later];
  size_t owner = self->graph->scopes[task->scope].owner;
  return owner != AGPU__NO_TASK &&
         self->graph->tasks[owner].kind == AGPU__TASK_LOOP && first->is_heavy &&
         task->is_heavy && !task->is_release && !depends_on(first, later);
}

/// True if task `later` may be run at the end of the chain that `earlier` ends,
/// and all of that as late as `later`.
static bool may_join(const chains *self, size_t earlier, size_t later) {
  const agpu__task *tasks = self->graph->tasks;
  const agpu__task *first = &tasks[self->first[earlier]], *task = &tasks[later];
  if (tasks[earlier].is_device != task->is_device ||
      self->successors[earlier] != 1 || is_pipeline(self, first, later))
    return false;
  for (size_t i = 0; i < task->order_count; ++i) {
    size_t on = task->orders[i].on;
    if (on != later && self->first[on] != self->first[earlier] &&
        !depends_on(first, on))
      return false;
  }
  return true;
}

/// Adds `later` to the chain of `earlier`: the chain has its dependences.
static void join(chains *self, size_t earlier, size_t later) {
  const agpu__task *task = &self->graph->tasks[later];
  for (size_t i = 0; i < task->order_count; ++i)
    self->successors[task->orders[i].on] -= task->orders[i].on != later;
  const agpu__task *first = &self->graph->tasks[self->first[earlier]];
  if (depends_on(first, later)) // in the previous iteration
    --self->successors[later];
  self->first[later] = self->first[earlier];
  self->last[self->first[later]] = later;
}

/// Finds chains of regions or, if `all`, of what could be one. Nothing that
/// stays where it is stands between the tasks of a chain.
static chains find_chains(agpu__task_graph *graph, bool all) {
  chains self = begin_chains(graph);
  AGPU__OWNED size_t *places = numbers(graph->count);
  for (size_t s = 0; s < graph->scope_count; ++s) {
    size_t open = 0; // where the first task stands that may go on
    for (size_t i = 0; i < graph->scopes[s].count; ++i) {
      size_t number = graph->scopes[s].tasks[i];
      const agpu__task *task = &graph->tasks[number];
      places[number] = i;
      if (all ? task->stays || agpu__task_is_composite(task)
              : task->kind != AGPU__TASK_REGION)
        open = i + 1;
      for (size_t k = 0; k < task->order_count && open <= i; ++k) {
        size_t on = task->orders[k].on;
        if (graph->tasks[on].scope != s || places[on] < open || on >= number ||
            !may_join(&self, on, number))
          continue;
        join(&self, on, number);
        break;
      }
    }
  }
  return self;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Blocks of which a kernel has to have so many for all CPUs of the emulated
/// device to share it, as far as machines without a GPU go.
enum { FILLING_BLOCKS = 16 };

/// Threads that a GPU executes side by side: fewer take it as long as so many.
/// And how many of their ops it executes while the emulated device does one, in
/// the shortest time that counts for regions (bench/sweep.py).
enum { GPU_THREADS = 32768, GPU_OPS = 8 };

static bool is_launch(const agpu__task *task) {
  MlirOperation op = task->ops.data[0];
  return agpu__op_is(op, "gpu.launch") || agpu__op_is(op, "gpu.launch_func");
}

static bool has_filling_kernel(const agpu__task *task) {
  return is_launch(task) &&
         agpu__cost_blocks(task->ops.data[0]) >= FILLING_BLOCKS;
}

/// True if ranks wait for each other somewhere: kernels run beside that,
/// however short they are beside what a region costs.
static bool has_messages(const agpu__task_graph *graph) {
  for (size_t t = 0; t < graph->count; ++t)
    if (agpu__op_has(graph->tasks[t].ops.data[0], AGPU__OP_MESSAGES))
      return true;
  return false;
}

static int64_t cost_of(const agpu__task *task, bool as_on_gpu) {
  int64_t cost =
      task->is_device ? task->effects.device_cost : task->effects.cost;
  if (!as_on_gpu || !task->is_device || !is_launch(task))
    return cost;
  int64_t threads = agpu__cost_threads(task->ops.data[0]);
  if (threads > 0 && threads < GPU_THREADS)
    cost = agpu__cost_times(cost / threads, GPU_THREADS);
  return cost / GPU_OPS;
}

void agpu__weigh_tasks(agpu__task_graph *graph) {
  for (size_t t = 0; t < graph->count; ++t) {
    graph->tasks[t].weight = 0;
    graph->tasks[t].is_heavy = true; // each counts alone in a pipeline
  }
  bool as_on_gpu = !graph->costs.is_emulated && !has_messages(graph);
  chains all = find_chains(graph, true);
  // What of each chain leaves CPUs idle, by its first task.
  AGPU__OWNED int64_t *idle = agpu__allocate(graph->count + 1, sizeof(*idle));
  for (size_t t = 0; t < graph->count; ++t) {
    int64_t *sum = &graph->tasks[all.first[t]].weight;
    int64_t cost = cost_of(&graph->tasks[t], as_on_gpu);
    *sum = agpu__cost_plus(*sum, cost);
    if (!has_filling_kernel(&graph->tasks[t]))
      idle[all.first[t]] = agpu__cost_plus(idle[all.first[t]], cost);
  }
  for (size_t t = 0; t < graph->count; ++t) {
    agpu__task *task = &graph->tasks[t];
    task->weight = graph->tasks[all.first[t]].weight;
    int64_t least = task->is_device ? graph->costs.device : graph->costs.host;
    task->is_heavy = task->weight >= least;
    task->fills_cpus = graph->costs.is_emulated && task->is_device &&
                       idle[all.first[t]] < least;
    if (!task->is_device)
      task->is_heavy |= task->effects.device_cost >= graph->costs.device;
  }
  chains_free(&all);
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

static void drop_order(agpu__task *task, size_t on) {
  size_t kept = 0;
  for (size_t i = 0; i < task->order_count; ++i)
    if (task->orders[i].on != on)
      task->orders[kept++] = task->orders[i];
  task->order_count = kept;
}

/// Puts task `earlier` in front of `later`, which gets the dependences of both.
static void merge(agpu__task_graph *graph, size_t earlier, size_t later) {
  agpu__task *a = &graph->tasks[earlier], *b = &graph->tasks[later];
  for (size_t i = 0; i < a->order_count; ++i)
    agpu__task_add_order(b, a->orders[i]);
  drop_order(b, earlier);
  drop_order(b, later);
  a->order_count = 0;
  for (size_t i = 0; i < b->ops.count; ++i)
    agpu__ops_push(&a->ops, b->ops.data[i]);
  agpu__ops ops = a->ops;
  a->ops = b->ops;
  b->ops = ops;
  agpu__accesses_add_all(&a->effects.accesses, &b->effects.accesses);
  agpu__accesses_free(&b->effects.accesses);
  b->effects.accesses = a->effects.accesses;
  a->effects.accesses = (agpu__accesses){0};
  b->is_release &= a->is_release;
  b->is_heavy |= a->is_heavy;
  b->weight = a->weight > b->weight ? a->weight : b->weight;
  a->is_gone = true;
}

/// Merges a light region into its only successor: that has to wait for it
/// anyway, and a token costs more than the region does.
static void merge_light(agpu__task_graph *graph) {
  chains self = begin_chains(graph);
  for (size_t b = 0; b < graph->count; ++b) {
    const agpu__task *task = &graph->tasks[b];
    for (size_t i = 0; i < task->order_count && !task->is_gone;) {
      size_t a = task->orders[i++].on;
      const agpu__task *light = &graph->tasks[a];
      if (a >= b || light->is_heavy || light->is_gone ||
          light->kind != AGPU__TASK_REGION || task->kind != light->kind ||
          light->is_device != task->is_device || light->scope != task->scope ||
          self.successors[a] != 1)
        continue;
      for (size_t k = 0; k < light->order_count; ++k)
        self.successors[light->orders[k].on] -=
            light->orders[k].on == b || depends_on(task, light->orders[k].on);
      merge(graph, a, b);
      i = 0; // those of the light one are there too now
    }
  }
  chains_free(&self);
}

//===----------------------------------------------------------------------===//
// Light tasks after others
//===----------------------------------------------------------------------===//

/// The only task that the task depends on, other than itself in the previous
/// iteration; AGPU__NO_TASK: there are none or several.
static size_t only_order(const agpu__task_graph *graph, size_t task) {
  size_t found = AGPU__NO_TASK;
  for (size_t i = 0; i < graph->tasks[task].order_count; ++i) {
    size_t on = graph->tasks[task].orders[i].on;
    if (on == task)
      continue;
    if (found != AGPU__NO_TASK)
      return AGPU__NO_TASK;
    found = on;
  }
  return found;
}

static bool conflict(const agpu__objects *objects, const agpu__task *a,
                     const agpu__task *b) {
  const agpu__accesses *of = &a->effects.accesses, *in = &b->effects.accesses;
  for (size_t i = 0; i < of->count; ++i)
    for (size_t k = 0; k < in->count; ++k)
      if ((of->data[i].writes || in->data[k].writes) &&
          (of->data[i].object == in->data[k].object ||
           agpu__objects_may_alias(objects, of->data[i].object,
                                   in->data[k].object)))
        return true;
  return false;
}

/// True if the op may stand after `after`, in the same block, as all that it
/// takes is there.
static bool dominates_operands_after(MlirOperation op, MlirOperation after) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!mlirValueIsAOpResult(value))
      continue;
    MlirOperation made = mlirOpResultGetOwner(value);
    if (mlirBlockEqual(mlirOperationGetBlock(made),
                       mlirOperationGetBlock(after)) &&
        !mlirOperationEqual(made, after) &&
        !mlirOperationIsBeforeInBlock(made, after))
      return false;
  }
  return true;
}

/// True if the task at `place` of a scope may move up to the end of region `to`
/// of the same: what stays between them, whose order with it is that of the
/// program, has nothing to do with it.
static bool may_move_up(const agpu__task_graph *graph,
                        const agpu__task_scope *scope, size_t place,
                        size_t to) {
  const agpu__task *task = &graph->tasks[scope->tasks[place]];
  const agpu__task *region = &graph->tasks[to];
  if (region->scope != task->scope || region->kind != AGPU__TASK_REGION ||
      region->is_gone || region->is_device != task->is_device ||
      task->ops.count != 1 || mlirOperationGetNumRegions(task->ops.data[0]) ||
      !dominates_operands_after(task->ops.data[0],
                                region->ops.data[region->ops.count - 1]))
    return false;
  for (size_t i = place; i-- > 0;) {
    const agpu__task *between = &graph->tasks[scope->tasks[i]];
    if (between == region)
      return true;
    if (agpu__task_is_composite(between) ||
        (between->kind == AGPU__TASK_INLINE &&
         conflict(&graph->function->objects, between, task)))
      return false;
  }
  return false;
}

static void follow_merged(agpu__task *task, const size_t *into) {
  for (size_t i = 0; i < task->order_count; ++i)
    task->orders[i].on = into[task->orders[i].on];
}

/// Appends a light region to the only one that it depends on: other successors
/// of that wait a little longer, and a token costs more.
static void merge_light_ends(agpu__task_graph *graph) {
  // Of each task the one that it is in now.
  AGPU__OWNED size_t *into = numbers(graph->count);
  for (size_t t = 0; t < graph->count; ++t)
    into[t] = t;
  for (size_t s = 0; s < graph->scope_count; ++s)
    for (size_t i = 0; i < graph->scopes[s].count; ++i) {
      size_t number = graph->scopes[s].tasks[i];
      agpu__task *task = &graph->tasks[number];
      follow_merged(task, into);
      size_t to = only_order(graph, number);
      if (task->is_gone || task->kind != AGPU__TASK_REGION ||
          (task->is_heavy && !task->is_release) || to == AGPU__NO_TASK ||
          !may_move_up(graph, &graph->scopes[s], i, to))
        continue;
      agpu__task *region = &graph->tasks[to];
      mlirOperationMoveAfter(task->ops.data[0],
                             region->ops.data[region->ops.count - 1]);
      agpu__ops_push(&region->ops, task->ops.data[0]);
      agpu__accesses_add_all(&region->effects.accesses,
                             &task->effects.accesses);
      agpu__accesses_free(&task->effects.accesses);
      region->is_release &= task->is_release;
      task->order_count = 0;
      task->is_gone = true;
      into[number] = to;
    }
  for (size_t t = 0; t < graph->count; ++t)
    follow_merged(&graph->tasks[t], into);
}

void agpu__merge_chains(agpu__task_graph *graph) {
  chains found = find_chains(graph, false);
  for (size_t t = 0; t < graph->count; ++t)
    if (found.first[t] == t && found.last[t] != t)
      // Successors of one of them depend on the last.
      for (size_t m = t + 1, before = t; m <= found.last[t]; ++m)
        if (found.first[m] == t) {
          merge(graph, before, m);
          before = m;
        }
  chains_free(&found);
  merge_light(graph);
  merge_light_ends(graph);
}
