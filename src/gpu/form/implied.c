//===- implied.c - Orders that rounds and awaits imply -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transitive reduction of orders, over rounds and awaits (reduce.c does
// what needs no more than the graph). For each task the set of regions whose
// last instance has surely ended before it: those that it depends on, those
// that tasks in front of it have awaited, and what these depend on, in the
// round before, too.
//
// A region that is spawned again has another last instance. So tasks have
// places in program order, those in a composite one between its own and its
// end, and of what has ended before another task counts what has no place on
// the way from that task to this one.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

/// Places in sets, which would grow with the square of the regions: the orders
/// of those behind stay, and one that is not found to be implied costs a wait
/// that is not needed.
enum { MOST_PLACES = 4096 };

typedef struct implied {
  agpu__task_graph *graph;
  size_t most, words;    ///< of sets: places, and words of 64
  size_t *places, *ends; ///< of each task: its own, and that behind all in it
  uint64_t *before;      ///< for each a set of places
} implied;

static uint64_t *row_of(const implied *self, size_t task) {
  return self->before + task * self->words;
}

/// Others than regions have the place of the next one. Returns what follows.
static size_t number_places(const implied *self, size_t scope, size_t place) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    self->places[number] = place;
    place += task->kind == AGPU__TASK_REGION;
    for (int k = 0; k < 2; ++k)
      if (task->inner[k] != AGPU__NO_TASK)
        place = number_places(self, task->inner[k], place);
    self->ends[number] = place;
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Sets of places
//===----------------------------------------------------------------------===//

/// The bits of that word of a set that are places from `first` up to `end`.
static uint64_t bits_between(size_t word, size_t first, size_t end) {
  size_t base = 64 * word;
  if (end <= base || first >= base + 64)
    return 0;
  uint64_t bits = ~(uint64_t)0;
  if (first > base)
    bits &= ~(uint64_t)0 << (first - base);
  if (end < base + 64)
    bits &= ~(~(uint64_t)0 << (end - base));
  return bits;
}

static void add_all(const implied *self, uint64_t *set, const uint64_t *other) {
  for (size_t w = 0; w < self->words; ++w)
    set[w] |= other[w];
}

static void add_between(const implied *self, uint64_t *set,
                        const uint64_t *other, size_t first, size_t end) {
  for (size_t w = 0; w < self->words; ++w)
    set[w] |= other[w] & bits_between(w, first, end);
}

static void add_others(const implied *self, uint64_t *set,
                       const uint64_t *other, size_t first, size_t end) {
  for (size_t w = 0; w < self->words; ++w)
    set[w] |= other[w] & ~bits_between(w, first, end);
}

static void remove_between(const implied *self, uint64_t *set, size_t first,
                           size_t end) {
  for (size_t w = 0; w < self->words; ++w)
    set[w] &= ~bits_between(w, first, end);
}

static bool has_place(const implied *self, const uint64_t *set, size_t task) {
  return self->places[task] < self->most &&
         agpu__bits_has(set, self->places[task]);
}

static void add_place(const implied *self, uint64_t *set, size_t task) {
  if (self->places[task] < self->most)
    agpu__bits_add(set, self->places[task]);
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Adds to `set` what has ended before region `on`, if another one is behind
/// that which may be reached without: the others of its block have run as
/// often.
static void add_of_block(const implied *self, size_t on, uint64_t *set) {
  const agpu__task_graph *graph = self->graph;
  size_t first = graph->scopes[graph->tasks[on].scope].tasks[0];
  add_between(self, set, row_of(self, on), self->places[first],
              self->places[on]);
}

/// Behind the last place that may be on the way to task `number` from one in
/// front of `at`, which is the task or holds it: in a loop, that loop's end.
static size_t end_of_way(const implied *self, size_t number, size_t at) {
  const agpu__task_graph *graph = self->graph;
  size_t end = self->places[number];
  for (size_t t = number; t != at;) {
    t = graph->scopes[graph->tasks[t].scope].owner;
    if (graph->tasks[t].kind == AGPU__TASK_LOOP)
      end = self->ends[t];
  }
  return end;
}

/// Adds to `own`, of task `number`, what has ended before region `on`, which it
/// depends on.
static void add_implied(const implied *self, size_t number, size_t on,
                        uint64_t *own) {
  const agpu__task_graph *graph = self->graph;
  size_t at = agpu__task_in_scope(graph, number, graph->tasks[on].scope);
  if (at == AGPU__NO_TASK) {
    add_of_block(self, on, own);
    return;
  }
  size_t end = end_of_way(self, number, at);
  if (self->places[on] < self->places[number])
    add_others(self, own, row_of(self, on), self->places[on], end);
  else // in the round before, which goes on behind the region
    add_between(self, own, row_of(self, on), end, self->places[on]);
}

static void drop_of_task(const implied *self, size_t number,
                         const uint64_t *awaited) {
  agpu__task *task = &self->graph->tasks[number];
  AGPU__OWNED uint64_t *own = agpu__allocate(self->words, sizeof(*own));
  add_all(self, own, awaited);
  for (size_t i = 0; i < task->order_count; ++i)
    add_implied(self, number, task->orders[i].on, own);
  task->follows_itself = has_place(self, own, number);
  // Dependences that another one implies go; the others are added below.
  size_t kept = 0;
  for (size_t i = 0; i < task->order_count; ++i)
    if (!has_place(self, own, task->orders[i].on))
      task->orders[kept++] = task->orders[i];
  task->order_count = kept;
  for (size_t i = 0; i < task->order_count; ++i)
    add_place(self, own, task->orders[i].on);
  memcpy(row_of(self, number), own, self->words * sizeof(*own));
}

static void drop_in_scope(const implied *self, size_t scope, uint64_t *awaited);

/// What is in it may run in several rounds, or not at all.
static void drop_in_composite(const implied *self, size_t number,
                              uint64_t *awaited) {
  const agpu__task *task = &self->graph->tasks[number];
  size_t first = self->places[number], end = self->ends[number];
  if (task->kind == AGPU__TASK_LOOP)
    remove_between(self, awaited, first, end);
  for (int k = 0; k < 2; ++k) {
    if (task->inner[k] == AGPU__NO_TASK)
      continue;
    AGPU__OWNED uint64_t *inside = agpu__allocate(self->words, sizeof(*inside));
    add_all(self, inside, awaited);
    drop_in_scope(self, task->inner[k], inside);
  }
  remove_between(self, awaited, first, end);
}

/// `awaited`: what has ended in front of the scope, and then behind it.
static void drop_in_scope(const implied *self, size_t scope,
                          uint64_t *awaited) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    if (task->is_gone)
      continue;
    if (agpu__task_is_composite(task)) {
      drop_in_composite(self, number, awaited);
      continue;
    }
    drop_of_task(self, number, awaited);
    if (task->kind == AGPU__TASK_REGION)
      remove_between(self, awaited, self->places[number], self->ends[number]);
    else
      add_all(self, awaited, row_of(self, number));
  }
}

/// Which regions end before another one does, or before an await.
static void find_followed(const implied *self, uint64_t *awaited) {
  const agpu__task_graph *graph = self->graph;
  for (size_t t = 0; t < graph->count; ++t) {
    if (graph->tasks[t].kind != AGPU__TASK_REGION || graph->tasks[t].is_gone)
      continue;
    if (graph->tasks[t].scope == 0)
      add_others(self, awaited, row_of(self, t), self->places[t], graph->count);
    else
      add_of_block(self, t, awaited);
  }
  for (size_t t = 0; t < graph->count; ++t)
    graph->tasks[t].is_followed = has_place(self, awaited, t);
}

void agpu__drop_implied_orders(agpu__task_graph *graph) {
  AGPU__OWNED size_t *places = agpu__allocate(graph->count, sizeof(*places));
  AGPU__OWNED size_t *ends = agpu__allocate(graph->count, sizeof(*ends));
  implied self = {.graph = graph, .places = places, .ends = ends};
  size_t regions = number_places(&self, 0, 0);
  if (!regions)
    return;
  self.most = regions < MOST_PLACES ? regions : MOST_PLACES;
  self.words = agpu__bits_words(self.most);
  AGPU__OWNED uint64_t *before =
      agpu__allocate(graph->count * self.words, sizeof(*before));
  self.before = before;
  // What a task is after in the round before is known when all have been seen.
  for (int pass = 0; pass < 2; ++pass) {
    AGPU__OWNED uint64_t *awaited =
        agpu__allocate(self.words, sizeof(*awaited));
    drop_in_scope(&self, 0, awaited);
    find_followed(&self, awaited);
  }
}
