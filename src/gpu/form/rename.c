//===- rename.c - Memory of each round -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that is allocated in front of a loop, and that each round fills
// before it reads it, ties the rounds together for nothing: the next one may
// not fill it before this one has read it. If it is not read after the loop
// either, an allocation in each round does the same. Rounds under way have a
// buffer each, and emit.c lets no more than two be.
//
//===----------------------------------------------------------------------===//

#include "gpu/form/form.h"

#include "lower/pass/diagnostics.h"

#include <stdlib.h>

/// An allocation that moves, and where to.
typedef struct candidate {
  const agpu__task_graph *graph;
  size_t object;
  MlirOperation allocation, body_of;
} candidate;

/// What the object's first task in the loop does: fills all of it, whatever
/// happens.
static bool fills(const agpu__task *task, size_t object) {
  if (agpu__task_is_composite(task))
    return false;
  bool found = false;
  for (size_t i = 0; i < task->effects.accesses.count; ++i) {
    const agpu__access *access = &task->effects.accesses.data[i];
    if (access->object != object)
      continue;
    // The first access is the one that counts; the list has those that a
    // covering write in front of them does not hide.
    if (access->reads || !access->covers || access->box.rank >= 0)
      return false;
    found = true;
  }
  return found;
}

typedef struct return_search {
  const agpu__task_graph *graph;
  bool *returned; ///< by object
} return_search;

static MlirWalkResult find_return(MlirOperation op, void *data) {
  return_search *self = data;
  if (!agpu__op_is(op, "func.return"))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    size_t object = agpu__place_of_memref(&self->graph->function->objects,
                                          mlirOperationGetOperand(op, i))
                        .object;
    if (object < self->graph->function->objects.count)
      self->returned[object] = true;
  }
  return MlirWalkResultAdvance;
}

/// The tasks that touch each object, in program order; the caller frees them.
static agpu__numbers *find_touches(const agpu__task_graph *graph) {
  agpu__numbers *of =
      agpu__allocate(graph->function->objects.count + 1, sizeof(*of));
  for (size_t t = 0; t < graph->count; ++t) {
    const agpu__accesses *accesses = &graph->tasks[t].effects.accesses;
    for (size_t i = 0; i < accesses->count; ++i) {
      agpu__numbers *it = &of[accesses->data[i].object];
      if (!it->count || it->data[it->count - 1] != t)
        agpu__numbers_push(it, t);
    }
  }
  return of;
}

/// The allocation that the object is, if it may move; a null op: it may not.
static MlirOperation allocation_of(const agpu__task_graph *graph,
                                   size_t object) {
  const agpu__object *it = &graph->function->objects.data[object];
  if (it->kind != AGPU__OBJECT_ALLOCATION || it->escapes ||
      !mlirValueIsAOpResult(it->value))
    return (MlirOperation){NULL};
  MlirOperation op = mlirOpResultGetOwner(it->value);
  return agpu__op_is(op, "gpu.alloc") || agpu__op_is(op, "memref.alloc")
             ? op
             : (MlirOperation){NULL};
}

/// The scope around the task that the block is of; AGPU__NO_TASK: none is.
static size_t scope_of_block(const agpu__task_graph *graph, size_t task,
                             MlirBlock block) {
  while (task != AGPU__NO_TASK) {
    size_t scope = graph->tasks[task].scope;
    if (mlirBlockEqual(graph->scopes[scope].block, block))
      return scope;
    task = graph->scopes[scope].owner;
  }
  return AGPU__NO_TASK;
}

/// The loop beside the allocation that may have the object anew in each round;
/// AGPU__NO_TASK: none. Nothing but its release stands after the loop, and in
/// the loop at least two tasks use the object, the first of which fills it.
static size_t loop_of(const agpu__task_graph *graph, size_t object,
                      const agpu__numbers *touches) {
  MlirOperation allocation = allocation_of(graph, object);
  if (mlirOperationIsNull(allocation) || !touches->count)
    return AGPU__NO_TASK;
  MlirBlock block = mlirOperationGetBlock(allocation);
  size_t scope = scope_of_block(graph, touches->data[0], block);
  if (scope == AGPU__NO_TASK)
    return AGPU__NO_TASK;
  size_t last = touches->count;
  while (last && graph->tasks[touches->data[last - 1]].is_release)
    --last;
  size_t loop = last
                    ? agpu__task_in_scope(graph, touches->data[last - 1], scope)
                    : AGPU__NO_TASK;
  if (loop == AGPU__NO_TASK || graph->tasks[loop].kind != AGPU__TASK_LOOP)
    return AGPU__NO_TASK;
  size_t first = AGPU__NO_TASK, inside = 0;
  for (size_t i = 0; i < touches->count; ++i) {
    size_t task = touches->data[i];
    size_t here = agpu__task_in_scope(graph, task, scope);
    if (here == AGPU__NO_TASK ||
        (here == loop && graph->tasks[task].is_release))
      return AGPU__NO_TASK;
    if (here == loop && !inside++)
      first = agpu__task_in_scope(graph, task, graph->tasks[loop].inner[0]);
  }
  return inside >= 2 && fills(&graph->tasks[first], object) ? loop
                                                            : AGPU__NO_TASK;
}

/// Of each object the loop that may have it anew in each round, or
/// AGPU__NO_TASK; the caller frees them.
static size_t *find_loops(const agpu__task_graph *graph) {
  size_t count = graph->function->objects.count;
  size_t *loops = agpu__allocate(count + 1, sizeof(*loops));
  AGPU__OWNED bool *returned = agpu__allocate(count + 1, sizeof(*returned));
  return_search search = {graph, returned};
  mlirOperationWalk(graph->function->function, find_return, &search,
                    MlirWalkPreOrder);
  AGPU__OWNED agpu__numbers *touches = find_touches(graph);
  for (size_t o = 0; o < count; ++o) {
    loops[o] = returned[o] ? AGPU__NO_TASK : loop_of(graph, o, &touches[o]);
    free(touches[o].data);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Moving it
//===----------------------------------------------------------------------===//

typedef struct mover {
  const candidate *candidate;
  agpu__builder at; ///< the beginning of the loop's body
  agpu__twins known;
} mover;

/// Copies the op that makes `memref`: the allocation, or a view of `source`.
static MlirValue copy_maker(mover *self, MlirValue memref, MlirValue source) {
  MlirOperation made = mlirOperationClone(mlirOpResultGetOwner(memref));
  if (!mlirValueIsNull(source))
    mlirOperationSetOperand(made, 0, source);
  mlirBlockInsertOwnedOperationBefore(self->at.block, self->at.before, made);
  MlirValue twin = agpu__result(made, mlirOpResultGetResultNumber(memref));
  agpu__twins_set(&self->known, memref, twin);
  return twin;
}

/// The memref of the object that stands for `memref` in the loop.
static MlirValue twin_of(mover *self, MlirValue memref) {
  AGPU__SCOPED(values) views = {0};
  MlirValue twin = agpu__twins_get(&self->known, memref);
  while (mlirValueIsNull(twin)) {
    MlirOperation op = mlirOpResultGetOwner(memref);
    if (agpu__is_inside(op, self->candidate->body_of)) {
      twin = memref; // made of what it is made of
      break;
    }
    agpu__values_push(&views, memref);
    if (mlirOperationEqual(op, self->candidate->allocation))
      break;
    memref = mlirOperationGetOperand(op, 0);
    twin = agpu__twins_get(&self->known, memref);
  }
  for (size_t i = views.count; i-- > 0;)
    twin = copy_maker(self, views.data[i], twin);
  return twin;
}

static MlirWalkResult use_twins(MlirOperation op, void *data) {
  mover *self = data;
  const agpu__objects *objects = &self->candidate->graph->function->objects;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    MlirType type = mlirValueGetType(value);
    if (!mlirTypeIsAMemRef(type) && !mlirTypeIsAUnrankedMemRef(type))
      continue;
    if (agpu__place_of_memref(objects, value).object ==
            self->candidate->object &&
        !mlirOperationEqual(op, self->candidate->body_of))
      mlirOperationSetOperand(op, i, twin_of(self, value));
  }
  return MlirWalkResultAdvance;
}

static void release_at_end(const candidate *self, MlirBlock body,
                           MlirValue memref) {
  agpu__builder at = agpu__builder_before(mlirBlockGetTerminator(body));
  at.location = mlirOperationGetLocation(self->allocation);
  agpu__build_effect(&at,
                     agpu__op_is(self->allocation, "gpu.alloc")
                         ? "gpu.dealloc"
                         : "memref.dealloc",
                     &memref, 1);
}

/// Takes the allocation away where nothing but its release is left of it.
static void remove_unused(const candidate *self) {
  AGPU__SCOPED(ops) releases = {0};
  MlirValue value = agpu__result(self->allocation, 0);
  bool used = false;
  AGPU__USES_FOREACH (use, value) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    used |= !agpu__op_is_any(user, "gpu.dealloc memref.dealloc");
    agpu__ops_push(&releases, user);
  }
  for (size_t i = 0; i < releases.count && !used; ++i)
    mlirOperationDestroy(releases.data[i]);
  if (!used)
    mlirOperationDestroy(self->allocation);
}

static void move(const candidate *self, bool remarks) {
  if (remarks) {
    MlirStringRef name = agpu__op_name(self->allocation);
    agpu__remark(
        mlirOperationGetLocation(self->body_of),
        "each iteration has its own %.*s of line %d, as it writes it first; "
        "at most two are in flight",
        AGPU__STR(name),
        agpu__place_of(mlirOperationGetLocation(self->allocation)).line);
  }
  MlirBlock body = agpu__entry_block(self->body_of);
  mover made = {.candidate = self,
                .at = agpu__builder_at_start(
                    body, mlirOperationGetLocation(self->allocation))};
  mlirOperationWalk(self->body_of, use_twins, &made, MlirWalkPreOrder);
  release_at_end(self, body, twin_of(&made, agpu__result(self->allocation, 0)));
  agpu__twins_free(&made.known);
  remove_unused(self);
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

/// A loop that may have objects of its own, as far as is known.
enum { NO_CANDIDATE, UNTRIED, IN_VAIN };

/// The untried loops that stand in no other of them, in program order: what is
/// found of one says nothing of the others.
static agpu__numbers outermost_untried(const agpu__task_graph *graph,
                                       const char *states) {
  agpu__numbers found = {0};
  for (size_t t = 0; t < graph->count; ++t) {
    if (states[t] != UNTRIED)
      continue;
    size_t owner = graph->scopes[graph->tasks[t].scope].owner;
    while (owner != AGPU__NO_TASK && states[owner] != UNTRIED)
      owner = graph->scopes[graph->tasks[owner].scope].owner;
    if (owner == AGPU__NO_TASK)
      agpu__numbers_push(&found, t);
  }
  return found;
}

/// Renames the objects of those of the loops whose rounds overlap more then.
/// True if there are any.
static bool rename_where_gained(agpu__task_graph *graph,
                                const agpu__numbers *loops,
                                const size_t *loop_of_object, bool remarks) {
  size_t count = graph->function->objects.count;
  AGPU__OWNED size_t *before =
      agpu__allocate(loops->count + 1, sizeof(*before));
  AGPU__OWNED size_t *after = agpu__allocate(loops->count + 1, sizeof(*after));
  AGPU__OWNED size_t *renamed = agpu__allocate(count + 1, sizeof(*renamed));
  AGPU__OWNED bool *gains = agpu__allocate(graph->count + 1, sizeof(*gains));
  agpu__count_overlaps(graph, loops, before);
  for (size_t i = 0; i < loops->count; ++i)
    gains[loops->data[i]] = true;
  for (size_t o = 0; o < count; ++o)
    renamed[o] = loop_of_object[o] != AGPU__NO_TASK && gains[loop_of_object[o]]
                     ? loop_of_object[o]
                     : AGPU__NO_TASK;
  graph->renamed = renamed;
  agpu__count_overlaps(graph, loops, after);
  graph->renamed = NULL;
  bool any = false;
  for (size_t i = 0; i < loops->count; ++i)
    any |= gains[loops->data[i]] = after[i] > before[i];
  for (size_t o = 0; o < count; ++o)
    if (renamed[o] != AGPU__NO_TASK && gains[renamed[o]]) {
      candidate self = {graph, o, allocation_of(graph, o),
                        graph->tasks[renamed[o]].ops.data[0]};
      move(&self, remarks);
    }
  return any;
}

bool agpu__rename_buffers(agpu__task_graph *graph, bool remarks) {
  AGPU__OWNED size_t *loops = find_loops(graph);
  AGPU__OWNED char *states = agpu__allocate(graph->count + 1, sizeof(*states));
  for (size_t o = 0; o < graph->function->objects.count; ++o)
    if (loops[o] != AGPU__NO_TASK)
      states[loops[o]] = UNTRIED;
  bool any = false, is_tried = false;
  while (!any && !is_tried) {
    agpu__numbers tried = outermost_untried(graph, states);
    any = tried.count && rename_where_gained(graph, &tried, loops, remarks);
    for (size_t i = 0; i < tried.count; ++i)
      states[tried.data[i]] = IN_VAIN;
    is_tried = !tried.count;
    free(tried.data);
  }
  return any;
}
