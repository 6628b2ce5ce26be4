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
// Loops are unrolled twice. All searches of a scope together take no more steps
// than its tasks pay for: where they do not suffice, in long programs of
// particular shapes, tasks count as independent, and as behind a region.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Transitive dependences
//===----------------------------------------------------------------------===//

enum { STEPS_FOR_EACH = 256 };

/// Sides of an instance in the program, or in its unrolled rounds.
enum { EARLIER, LATER, SIDES };

/// The tasks of a scope, numbered from 0 in program order; in a loop those of
/// the previous iteration first, and then those of this one.
typedef struct relation {
  const agpu__task_graph *graph;
  size_t scope;
  size_t count;     ///< of tasks
  size_t instances; ///< `count`, or twice that
  /// Those that instance i depends on, or that depend on it, are
  /// `others[side][starts[side][i]]` up to that of i + 1.
  size_t *starts[SIDES], *others[SIDES];
  bool *overlaps[SIDES]; ///< something is gained beside one of that side
  /// All on that side that take time, and that could gain, are in order with
  /// the instance; while one side is searched.
  bool *complete;
  size_t *marks; ///< the search that has reached an instance last
  size_t *list;  ///< of instances that a search has still to look at
  bool *follows; ///< which tasks depend on a region, as far as is decided
  size_t search, steps;
} relation;

static bool takes_time(const agpu__task *task) {
  return !task->is_gone && !task->is_release && task->is_heavy;
}

static size_t number_of(const relation *self, size_t instance) {
  return self->graph->scopes[self->scope].tasks[instance % self->count];
}

static const agpu__task *task_of(const relation *self, size_t instance) {
  return &self->graph->tasks[number_of(self, instance)];
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

/// An edge between instances, which `places` gives for tasks; false: it is none
/// of that round.
static bool find_ends(const relation *self, const edge *it,
                      const size_t *places, bool in_last, size_t *out_ends) {
  size_t round = self->instances - self->count;
  size_t later = places[it->later], earlier = places[it->earlier];
  bool is_previous = it->is_previous || earlier >= later;
  out_ends[LATER] = in_last ? later + round : later;
  out_ends[EARLIER] = in_last && !is_previous ? earlier + round : earlier;
  return !is_previous || (in_last && round);
}

static void add_links(relation *self, const edges *of, const size_t *places) {
  bool loops = self->instances > self->count;
  for (int side = 0; side < SIDES; ++side) {
    size_t *starts = agpu__allocate(self->instances + 2, sizeof(*starts));
    self->starts[side] = starts;
    size_t ends[SIDES];
    for (size_t i = 0; i < of->count * 2; ++i)
      if ((loops || i % 2) &&
          find_ends(self, &of->data[i / 2], places, i % 2, ends))
        ++starts[ends[!side] + 2];
    for (size_t i = 2; i < self->instances + 2; ++i)
      starts[i] += starts[i - 1];
    self->others[side] = agpu__allocate(starts[self->instances + 1] + 1,
                                        sizeof(*self->others[side]));
    for (size_t i = 0; i < of->count * 2; ++i)
      if ((loops || i % 2) &&
          find_ends(self, &of->data[i / 2], places, i % 2, ends))
        self->others[side][starts[ends[!side] + 1]++] = ends[side];
  }
}

/// Marks those on that side with a dependence between them and `instance`.
static void mark_others(relation *self, size_t instance, int side) {
  const size_t *starts = self->starts[side];
  for (size_t i = starts[instance]; i < starts[instance + 1]; ++i)
    self->marks[self->others[side][i]] = self->search;
  size_t steps = starts[instance + 1] - starts[instance] + 1;
  self->steps -= steps < self->steps ? steps : self->steps;
}

/// True if something may be gained beside the instance: of kernels that fill
/// all CPUs beside no other one.
static bool counts(const relation *self, size_t instance, bool fills_cpus) {
  const agpu__task *task = task_of(self, instance);
  return takes_time(task) && !(fills_cpus && task->fills_cpus);
}

/// True if nothing from `from` to `to`, on that side of it, has a dependence
/// with `to`.
static bool is_free_of(const relation *self, size_t to, size_t from, int side) {
  const size_t *starts = self->starts[!side];
  for (size_t i = starts[to]; i < starts[to + 1]; ++i) {
    size_t other = self->others[!side][i];
    if (side == LATER ? other >= from : other <= from)
      return false;
  }
  return to % self->count != from % self->count;
}

/// True if something may be gained beside an instance on that side of `from`
/// that is independent of it. The last one there that counts is `last`.
static bool finds_independent(relation *self, size_t from, int side,
                              bool fills_cpus, size_t last) {
  size_t step = side == LATER ? 1 : (size_t)-1;
  bool misses_itself = false; // in the other round
  self->marks[from] = ++self->search;
  for (size_t i = from; i != last + step; i += step) {
    if (!self->steps)
      return true;
    if (self->marks[i] == self->search) {
      if (i != from && self->complete[i])
        break;
      mark_others(self, i, side);
    } else if (counts(self, i, fills_cpus)) {
      if (i % self->count != from % self->count)
        return true;
      misses_itself = true;
    } else {
      --self->steps;
    }
  }
  self->complete[from] = !misses_itself;
  return false;
}

/// Finds all that overlap one on that side, from its end.
static void find_overlaps(relation *self, int side, bool fills_cpus) {
  memset(self->complete, 0, self->instances);
  bool any = false;
  size_t last = 0, nearest = 0; // that count, behind the instance
  for (size_t k = 0; k < self->instances; ++k) {
    size_t i = side == LATER ? self->instances - 1 - k : k;
    bool found = any && (is_free_of(self, nearest, i, side) ||
                         finds_independent(self, i, side, fills_cpus, last));
    self->complete[i] |= !any;
    if (task_of(self, i)->fills_cpus == fills_cpus)
      self->overlaps[side][i] = found;
    if (!counts(self, i, fills_cpus))
      continue;
    last = any ? last : i;
    nearest = i;
    any = true;
  }
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
  for (size_t i = 0; i < it->count; ++i)
    places[it->tasks[i]] = i;
  self.marks = agpu__allocate(self.instances + 1, sizeof(*self.marks));
  self.list = agpu__allocate(self.instances + 1, sizeof(*self.list));
  self.complete = agpu__allocate(self.instances + 1, sizeof(bool));
  self.follows = agpu__allocate(self.count + 1, sizeof(bool));
  add_links(&self, of, places);
  return self;
}

static void relation_free(relation *self) {
  for (int side = 0; side < SIDES; ++side) {
    free(self->starts[side]);
    free(self->others[side]);
    free(self->overlaps[side]);
  }
  free(self->marks);
  free(self->list);
  free(self->complete);
  free(self->follows);
}

static void find_all_overlaps(relation *self) {
  bool any_fills = false;
  for (size_t i = 0; i < self->count; ++i)
    any_fills |= task_of(self, i)->fills_cpus;
  for (int side = 0; side < SIDES; ++side) {
    self->overlaps[side] = agpu__allocate(self->instances + 1, sizeof(bool));
    for (int fills_cpus = 0; fills_cpus <= any_fills; ++fills_cpus) {
      self->steps = STEPS_FOR_EACH * self->instances;
      find_overlaps(self, side, fills_cpus);
    }
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

typedef struct decision {
  agpu__task_graph *graph;
  edges *edges;   ///< of each scope
  size_t *places; ///< of tasks in the scope that was related last
  bool *holds;    ///< which tasks are regions, or hold one
} decision;

/// True if the task depends on one of this scope, or of one around it, that may
/// be a region. In a loop those of the previous iteration are looked at anew
/// each time: which of them come later than `place` and may be one changes.
static bool depends_on_region(const decision *self, relation *of,
                              size_t place) {
  const agpu__task *tasks = self->graph->tasks;
  const size_t *starts = of->starts[EARLIER];
  bool loops = of->instances > of->count;
  size_t count = 1;
  of->list[0] = of->instances - of->count + place;
  ++of->search;
  while (count) {
    size_t i = of->list[--count];
    const agpu__task *task = task_of(of, i);
    for (size_t k = 0; k < task->order_count; ++k)
      if (tasks[task->orders[k].on].scope != of->scope &&
          self->holds[task->orders[k].on])
        return true;
    for (size_t k = starts[i]; k < starts[i + 1]; ++k) {
      size_t before = of->others[EARLIER][k];
      if (self->holds[number_of(of, before)] ||
          (before % of->count >= place && takes_time(task_of(of, before))) ||
          (loops ? !of->steps : of->follows[before]))
        return true;
      if (!loops || of->marks[before] == of->search)
        continue;
      --of->steps;
      of->marks[before] = of->search;
      of->list[count++] = before;
    }
  }
  return false;
}

/// True if a simple task should be a region. A light one stays in place, unless
/// it would have to wait there, and what follows with it.
static bool is_worth(const relation *of, size_t place, bool has_company) {
  const agpu__task *task = task_of(of, place);
  size_t last = of->instances - of->count + place;
  bool later = has_company || of->overlaps[LATER][place];
  return !task->stays &&
         (!takes_time(task) ? later && of->follows[place]
          : task->is_device ? later || of->overlaps[EARLIER][last]
                            : later);
}

static void decide_scope(decision *self, size_t scope, bool has_company);

/// Decides what is in a composite task. True if it holds a region then.
static bool decide_inner(decision *self, const relation *of, size_t place,
                         bool has_company) {
  const agpu__task *task = task_of(of, place);
  size_t last = of->instances - of->count + place;
  bool company =
      has_company || of->overlaps[LATER][place] || of->overlaps[EARLIER][last];
  bool holds = false;
  for (int i = 0; i < 2; ++i) {
    if (task->inner[i] == AGPU__NO_TASK)
      continue;
    decide_scope(self, task->inner[i], company);
    const agpu__task_scope *inner = &self->graph->scopes[task->inner[i]];
    for (size_t t = 0; t < inner->count; ++t)
      holds |= self->holds[inner->tasks[t]];
  }
  return holds;
}

static void decide_scope(decision *self, size_t scope, bool has_company) {
  relation of = relate(self->graph, scope, &self->edges[scope], self->places);
  find_all_overlaps(&of);
  of.steps = STEPS_FOR_EACH * of.instances;
  for (size_t i = 0; i < of.count; ++i) {
    size_t number = number_of(&of, i);
    agpu__task *task = &self->graph->tasks[number];
    bool follows = (of.instances == of.count || !takes_time(task)) &&
                   depends_on_region(self, &of, i);
    of.follows[i] = follows;
    if (agpu__task_is_composite(task)) {
      self->holds[number] = decide_inner(self, &of, i, has_company);
    } else {
      self->holds[number] = is_worth(&of, i, has_company);
      task->kind = self->holds[number] ? AGPU__TASK_REGION : AGPU__TASK_INLINE;
    }
  }
  relation_free(&of);
}

static void free_edges(const agpu__task_graph *graph, edges *all) {
  for (size_t i = 0; i < graph->scope_count; ++i)
    free(all[i].data);
  free(all);
}

/// Of those tasks of a loop that are looked at; the same with any edges.
static size_t count_overlaps(relation *of) {
  size_t found = 0;
  for (size_t i = 0; i < of->count && i < STEPS_FOR_EACH; ++i) {
    bool fills_cpus = task_of(of, i)->fills_cpus;
    if (!counts(of, i, false))
      continue;
    of->marks[i] = ++of->search;
    for (size_t k = i; k < of->instances; ++k)
      if (of->marks[k] == of->search)
        mark_others(of, k, LATER);
      else
        found +=
            k >= of->count && k != of->count + i && counts(of, k, fills_cpus);
  }
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
  AGPU__OWNED size_t *places =
      agpu__allocate(graph->count + 1, sizeof(*places));
  AGPU__OWNED bool *holds = agpu__allocate(graph->count + 1, sizeof(*holds));
  decision self = {graph, collect_edges(graph), places, holds};
  decide_scope(&self, 0, false);
  free_edges(graph, self.edges);
  agpu__hoist_tasks(graph);
  agpu__order_tasks(graph, false);
  agpu__reduce_orders(graph);
  agpu__merge_chains(graph);
  agpu__order_tasks(graph, false);
  agpu__reduce_orders(graph);
}
