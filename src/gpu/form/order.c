//===- order.c - Dependences of tasks -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits the tasks in program order with the live accesses. A task depends on
// each earlier one that accesses the same memory, unless both only read. A
// covering write kills earlier accesses.
//
// A loop begins with the accesses of its own tasks in the previous iteration,
// except those to memory of which each iteration has its own. Accesses in a
// branch or a loop count after it whether it ran or not; its kills do not.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include <stdlib.h>

typedef struct entry {
  size_t task;
  bool is_previous;
  agpu__access access;
} entry;

/// What has been done to one object.
typedef struct history {
  size_t object;
  entry *entries;
  size_t count, capacity;
} history;

/// What the tasks of a scope have done.
typedef struct state {
  struct state *parent;
  agpu__map numbers; ///< of histories, by object
  history *histories;
  size_t count, capacity;
} state;

typedef struct ordering {
  agpu__task_graph *graph;
  const agpu__objects *objects;
  bool all;
} ordering;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

static history *history_of(state *self, size_t object) {
  size_t number = agpu__map_get(&self->numbers, agpu__number_key(object));
  if (number != AGPU__MAP_NONE)
    return &self->histories[number];
  AGPU__GROW(self->histories, self->count, self->capacity);
  agpu__map_set(&self->numbers, agpu__number_key(object), self->count);
  self->histories[self->count] = (history){.object = object};
  return &self->histories[self->count++];
}

static void push(history *self, entry new) {
  AGPU__GROW(self->entries, self->count, self->capacity);
  self->entries[self->count++] = new;
}

static void release(state *self) {
  for (size_t i = 0; i < self->count; ++i)
    free(self->histories[i].entries);
  free(self->histories);
  agpu__map_free(&self->numbers);
}

/// Forgets what task `task` did in the round before: it has run again.
static void forget_previous(history *of, size_t task) {
  size_t kept = 0;
  for (size_t i = 0; i < of->count; ++i)
    if (of->entries[i].task != task || !of->entries[i].is_previous)
      of->entries[kept++] = of->entries[i];
  of->count = kept;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// True if the object is allocated for `task` behind the other one, in program
/// order, which so cannot have accessed it by another name.
static bool is_newer(const ordering *self, size_t object,
                     const agpu__task *task, const entry *other) {
  const agpu__object *it = &self->objects->data[object];
  if (it->kind != AGPU__OBJECT_ALLOCATION || it->next || it->flows ||
      !mlirValueIsAOpResult(it->value))
    return false;
  MlirOperation made = mlirOpResultGetOwner(it->value);
  MlirBlock block = mlirOperationGetBlock(made);
  const agpu__ops *ops = &self->graph->tasks[other->task].ops;
  MlirOperation earlier = agpu__find_in_block(ops->data[ops->count - 1], block);
  MlirOperation later = agpu__find_in_block(task->ops.data[0], block);
  // One op holds both: a loop behind the allocation, maybe.
  return !mlirOperationIsNull(earlier) && !mlirOperationIsNull(later) &&
         !mlirOperationEqual(earlier, later) &&
         (other->is_previous || mlirOperationIsBeforeInBlock(earlier, made));
}

static void compare(const ordering *self, agpu__task *task,
                    const agpu__access *access, const history *with) {
  for (size_t i = 0; i < with->count; ++i) {
    const entry *other = &with->entries[i];
    if (!access->writes && !other->access.writes)
      continue;
    if (with->object == access->object &&
        !agpu__boxes_meet(&access->box, &other->access.box))
      continue;
    if (with->object != access->object &&
        is_newer(self, access->object, task, other)) {
      self->graph->newer_count += self->all;
      continue;
    }
    agpu__task_add_order(task,
                         (agpu__order){.on = other->task,
                                       .object = access->object,
                                       .reads = access->reads,
                                       .writes = access->writes,
                                       .was_read = other->access.reads,
                                       .was_written = other->access.writes,
                                       .is_previous = other->is_previous});
  }
}

/// Adds the dependences of the task because of `access`, on tasks of this scope
/// and those around it.
static void compare_all(const ordering *self, state *in, agpu__task *task,
                        const agpu__access *access) {
  bool private = agpu__object_is_private(self->objects, access->object);
  for (; in; in = in->parent) {
    size_t own = agpu__map_get(&in->numbers, agpu__number_key(access->object));
    if (own != AGPU__MAP_NONE)
      compare(self, task, access, &in->histories[own]);
    for (size_t h = 0; h < in->count && !private; ++h)
      if (in->histories[h].object != access->object &&
          agpu__objects_may_alias(self->objects, access->object,
                                  in->histories[h].object))
        compare(self, task, access, &in->histories[h]);
  }
}

/// Removes the accesses that a covering write kills.
static void kill_covered(history *of, const agpu__access *access) {
  size_t kept = 0;
  for (size_t i = 0; i < of->count; ++i) {
    const entry *other = &of->entries[i];
    bool is_killed =
        access->writes && agpu__box_contains(&access->box, &other->access.box);
    if (!is_killed)
      of->entries[kept++] = *other;
  }
  of->count = kept;
}

/// An inline task has waited for them.
static void drop_awaited(history *of, const agpu__access *access) {
  size_t kept = 0;
  for (size_t i = 0; i < of->count; ++i) {
    const entry *other = &of->entries[i];
    bool awaited = (access->writes || other->access.writes) &&
                   agpu__boxes_meet(&access->box, &other->access.box);
    if (!awaited)
      of->entries[kept++] = *other;
  }
  of->count = kept;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static void order_scope(const ordering *self, size_t scope, state *in);

static bool is_kept(const ordering *self, const agpu__task *task) {
  return self->all || task->kind == AGPU__TASK_REGION;
}

static void order_simple(const ordering *self, size_t number, state *in) {
  agpu__task *task = &self->graph->tasks[number];
  const agpu__accesses *accesses = &task->effects.accesses;
  for (size_t i = 0; i < accesses->count; ++i)
    forget_previous(history_of(in, accesses->data[i].object), number);
  for (size_t i = 0; i < accesses->count; ++i)
    compare_all(self, in, task, &accesses->data[i]);
  // After all comparisons: accesses of one task do not depend on each other.
  for (size_t i = 0; i < accesses->count; ++i) {
    history *of = history_of(in, accesses->data[i].object);
    if (is_kept(self, task))
      kill_covered(of, &accesses->data[i]);
    else
      drop_awaited(of, &accesses->data[i]);
  }
  for (size_t i = 0; i < accesses->count && is_kept(self, task); ++i)
    push(history_of(in, accesses->data[i].object),
         (entry){number, false, accesses->data[i]});
}

/// Passes the accesses of a scope on to the one around it, except those to
/// memory of which each iteration of `loop` has its own.
static void pass_on(const ordering *self, const state *from, size_t loop,
                    state *to) {
  for (size_t h = 0; h < from->count; ++h) {
    const history *of = &from->histories[h];
    if (loop != AGPU__NO_TASK &&
        agpu__object_is_of_round(self->graph, of->object, loop))
      continue;
    for (size_t i = 0; i < of->count; ++i) {
      entry done = of->entries[i];
      // At the end of a loop, what is left is of its last iteration.
      done.is_previous = false;
      push(history_of(to, of->object), done);
    }
  }
}

/// Adds the accesses of the tasks in `scope` to `in`, as of the previous
/// iteration.
static void add_previous(const ordering *self, size_t loop, size_t scope,
                         state *in) {
  const agpu__task_scope *of = &self->graph->scopes[scope];
  for (size_t t = 0; t < of->count; ++t) {
    const agpu__task *task = &self->graph->tasks[of->tasks[t]];
    for (int i = 0; i < 2; ++i)
      if (task->inner[i] != AGPU__NO_TASK)
        add_previous(self, loop, task->inner[i], in);
    const agpu__accesses *accesses = &task->effects.accesses;
    for (size_t i = 0; i < accesses->count && is_kept(self, task); ++i)
      if (!agpu__object_is_of_round(self->graph, accesses->data[i].object,
                                    loop))
        push(history_of(in, accesses->data[i].object),
             (entry){of->tasks[t], true, accesses->data[i]});
  }
}

/// A composite task: those in it are ordered, and what they have done goes on
/// after it.
static void order_composite(const ordering *self, size_t number, state *in) {
  const agpu__task *task = &self->graph->tasks[number];
  state inner[2] = {{.parent = in}, {.parent = in}};
  for (int i = 0; i < 2; ++i) {
    if (task->inner[i] == AGPU__NO_TASK)
      continue;
    if (task->kind == AGPU__TASK_LOOP)
      add_previous(self, number, task->inner[i], &inner[i]);
    order_scope(self, task->inner[i], &inner[i]);
  }
  for (int i = 0; i < 2; ++i) {
    pass_on(self, &inner[i],
            task->kind == AGPU__TASK_LOOP ? number : AGPU__NO_TASK, in);
    release(&inner[i]);
  }
}

static void order_scope(const ordering *self, size_t scope, state *in) {
  for (size_t i = 0; i < self->graph->scopes[scope].count; ++i) {
    size_t number = self->graph->scopes[scope].tasks[i];
    const agpu__task *task = &self->graph->tasks[number];
    if (task->is_gone)
      continue;
    if (agpu__task_is_composite(task))
      order_composite(self, number, in);
    else
      order_simple(self, number, in);
  }
}

void agpu__order_tasks(agpu__task_graph *graph, bool all) {
  ordering self = {graph, &graph->function->objects, all};
  for (size_t i = 0; i < graph->count; ++i)
    graph->tasks[i].order_count = 0;
  if (all)
    graph->newer_count = 0;
  state in = {.parent = NULL};
  order_scope(&self, 0, &in);
  release(&in);
}
