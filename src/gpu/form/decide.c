//===- decide.c - Which tasks become regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task becomes a region if it is heavy (it and its chain cost more than a
// region does, chains.c) and another heavy one can run concurrently: for device
// work, any independent one; for host work, an independent one that is later in
// the program, as earlier ones run concurrently anyway. A light task stays in
// place, unless it would wait there for a region and delay what follows.
//
// On the emulated device two kernels that each fill all CPUs gain nothing from
// running concurrently, and count as no company for each other.
//
// Transitive dependences are bit sets for each scope; loops are unrolled twice.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Transitive dependences
//===----------------------------------------------------------------------===//

/// The tasks of a scope, numbered from 0 in program order; in a loop those of
/// the previous iteration first, and then those of this one.
typedef struct relation {
  const agpu__task_graph *graph;
  size_t scope;
  size_t count;     ///< of tasks
  size_t instances; ///< `count`, or twice that
  size_t words;     ///< of a set
  uint64_t *before; ///< for each instance the set of those it depends on
  uint64_t *worth;  ///< those that take time
} relation;

static bool takes_time(const agpu__task *task) {
  return !task->is_gone && !task->is_release && task->is_heavy;
}

static void add_dependence(relation *self, size_t later, size_t earlier) {
  uint64_t *row = self->before + later * self->words;
  agpu__bits_add_all(row, self->before + earlier * self->words, self->words);
  agpu__bits_add(row, earlier);
}

typedef struct edge {
  size_t later, earlier;
  bool is_previous;
} edge;

typedef struct edges {
  edge *data;
  size_t count, capacity;
} edges;

/// Collects the edges of each scope from the orders of all tasks: one between
/// tasks of different scopes is one of the tasks that hold them.
static edges *collect_edges(const agpu__task_graph *graph) {
  edges *all = agpu__allocate(graph->scope_count + 1, sizeof(*all));
  for (size_t t = 0; t < graph->count; ++t)
    for (size_t i = 0; i < graph->tasks[t].order_count; ++i) {
      const agpu__order *order = &graph->tasks[t].orders[i];
      size_t later = t, earlier = order->on;
      agpu__task_common_scope(graph, &later, &earlier);
      edges *of = &all[graph->tasks[later].scope];
      AGPU__GROW(of->data, of->count, of->capacity);
      of->data[of->count++] = (edge){later, earlier, order->is_previous};
    }
  return all;
}

static relation relate(const agpu__task_graph *graph, size_t scope,
                       const edges *of, size_t *places) {
  const agpu__task_scope *it = &graph->scopes[scope];
  bool loops = it->owner != AGPU__NO_TASK &&
               graph->tasks[it->owner].kind == AGPU__TASK_LOOP;
  relation self = {.graph = graph,
                   .scope = scope,
                   .count = it->count,
                   .instances = loops ? 2 * it->count : it->count};
  self.words = agpu__bits_words(self.instances);
  self.before =
      agpu__allocate((self.instances + 1) * self.words, sizeof(uint64_t));
  self.worth = agpu__allocate(self.words, sizeof(uint64_t));
  for (size_t i = 0; i < it->count; ++i)
    places[it->tasks[i]] = i;
  size_t round = self.instances - self.count;
  for (size_t i = 0; i < self.instances; ++i)
    if (takes_time(&graph->tasks[it->tasks[i % self.count]]))
      agpu__bits_add(self.worth, i);
  // Edges come in program order of the later task.
  for (int pass = 0; pass < 1 + loops; ++pass)
    for (size_t i = 0; i < of->count; ++i) {
      size_t later = places[of->data[i].later];
      size_t earlier = places[of->data[i].earlier];
      if (loops && !pass) {
        if (!of->data[i].is_previous && earlier < later)
          add_dependence(&self, later, earlier);
      } else if (of->data[i].is_previous || earlier >= later) {
        if (loops)
          add_dependence(&self, later + round, earlier);
      } else {
        add_dependence(&self, later + round, earlier + round);
      }
    }
  return self;
}

static void relation_free(relation *self) {
  free(self->before);
  free(self->worth);
}

/// True if something may be gained where a task runs beside the heavy instance
/// `other`.
static bool gains(const relation *self, size_t place, size_t other) {
  const size_t *tasks = self->graph->scopes[self->scope].tasks;
  other %= self->count;
  return other != place && !(self->graph->tasks[tasks[place]].fills_cpus &&
                             self->graph->tasks[tasks[other]].fills_cpus);
}

/// True if a heavy task comes after task `place` in the program and is
/// independent of it: in this iteration of a loop or the next.
static bool overlaps_later(const relation *self, size_t place) {
  for (size_t i = place + 1; i < self->instances; ++i)
    if (agpu__bits_has(self->worth, i) && gains(self, place, i) &&
        !agpu__bits_has(self->before + i * self->words, place))
      return true;
  return false;
}

/// The same for a task that comes before it.
static bool overlaps_earlier(const relation *self, size_t place) {
  size_t last = self->instances - self->count + place;
  const uint64_t *row = self->before + last * self->words;
  for (size_t i = 0; i < last; ++i)
    if (agpu__bits_has(self->worth, i) && gains(self, place, i) &&
        !agpu__bits_has(row, i))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// True if the task, or one in it, is a region. Those that come later in the
/// program than what is decided count if they may become one.
static bool holds_region(const agpu__task_graph *graph, size_t number) {
  const agpu__task *task = &graph->tasks[number];
  if (!agpu__task_is_composite(task))
    return task->kind == AGPU__TASK_REGION;
  for (int i = 0; i < 2; ++i) {
    if (task->inner[i] == AGPU__NO_TASK)
      continue;
    const agpu__task_scope *scope = &graph->scopes[task->inner[i]];
    for (size_t t = 0; t < scope->count; ++t)
      if (holds_region(graph, scope->tasks[t]))
        return true;
  }
  return false;
}

/// True if the task depends on one of this scope, or of one around it, that may
/// be a region.
static bool depends_on_region(const agpu__task_graph *graph,
                              const relation *self, size_t place) {
  const size_t *tasks = graph->scopes[self->scope].tasks;
  size_t instance = self->instances - self->count + place;
  const uint64_t *row = self->before + instance * self->words;
  for (size_t i = 0; i < self->instances; ++i) {
    if (i != instance && !agpu__bits_has(row, i))
      continue;
    size_t number = tasks[i % self->count];
    if (i != instance &&
        (holds_region(graph, number) ||
         (i % self->count >= place && agpu__bits_has(self->worth, i))))
      return true;
    const agpu__task *task = &graph->tasks[number];
    for (size_t k = 0; k < task->order_count; ++k)
      if (graph->tasks[task->orders[k].on].scope != self->scope &&
          holds_region(graph, task->orders[k].on))
        return true;
  }
  return false;
}

static void decide_scope(agpu__task_graph *graph, const edges *all,
                         size_t *places, size_t scope, bool has_company);

static void decide_task(agpu__task_graph *graph, const edges *all,
                        size_t *places, const relation *of, size_t place,
                        bool has_company) {
  agpu__task *task = &graph->tasks[graph->scopes[of->scope].tasks[place]];
  bool later = has_company || overlaps_later(of, place);
  if (agpu__task_is_composite(task)) {
    bool company = later || overlaps_earlier(of, place);
    for (int i = 0; i < 2; ++i)
      if (task->inner[i] != AGPU__NO_TASK)
        decide_scope(graph, all, places, task->inner[i], company);
    return;
  }
  // A light task stays in place, unless it would have to wait there, and what
  // follows with it.
  bool worth = !takes_time(task) ? later && depends_on_region(graph, of, place)
               : task->is_device ? later || overlaps_earlier(of, place)
                                 : later;
  task->kind = worth && !task->stays ? AGPU__TASK_REGION : AGPU__TASK_INLINE;
}

static void decide_scope(agpu__task_graph *graph, const edges *all,
                         size_t *places, size_t scope, bool has_company) {
  // `places` is of the scope that was related last, so inner ones come last.
  relation of = relate(graph, scope, &all[scope], places);
  for (size_t i = 0; i < of.count; ++i)
    decide_task(graph, all, places, &of, i, has_company);
  relation_free(&of);
}

static void free_edges(const agpu__task_graph *graph, edges *all) {
  for (size_t i = 0; i < graph->scope_count; ++i)
    free(all[i].data);
  free(all);
}

static size_t count_overlaps(const relation *of) {
  size_t found = 0;
  for (size_t i = 0; i < of->count; ++i)
    for (size_t k = 0; k < of->count; ++k)
      found += gains(of, i, k) && agpu__bits_has(of->worth, i) &&
               agpu__bits_has(of->worth, k) &&
               !agpu__bits_has(of->before + (of->count + k) * of->words, i);
  return found;
}

void agpu__count_overlaps(agpu__task_graph *graph, const agpu__numbers *loops,
                          size_t *out_counts) {
  agpu__order_tasks(graph, true);
  agpu__weigh_tasks(graph);
  edges *all = collect_edges(graph);
  AGPU__OWNED size_t *places =
      agpu__allocate(graph->count + 1, sizeof(*places));
  for (size_t i = 0; i < loops->count; ++i) {
    size_t scope = graph->tasks[loops->data[i]].inner[0];
    relation of = relate(graph, scope, &all[scope], places);
    out_counts[i] = count_overlaps(&of);
    relation_free(&of);
  }
  free_edges(graph, all);
}

void agpu__decide_tasks(agpu__task_graph *graph) {
  agpu__order_tasks(graph, true);
  agpu__weigh_tasks(graph);
  edges *all = collect_edges(graph);
  AGPU__OWNED size_t *places =
      agpu__allocate(graph->count + 1, sizeof(*places));
  decide_scope(graph, all, places, 0, false);
  free_edges(graph, all);
  agpu__hoist_tasks(graph);
  agpu__order_tasks(graph, false);
  agpu__reduce_orders(graph);
  agpu__merge_chains(graph);
  agpu__order_tasks(graph, false);
  agpu__reduce_orders(graph);
}
