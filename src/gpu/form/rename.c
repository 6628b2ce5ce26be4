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

#include "lower/ir/ir.h"
#include "lower/ir/twins.h"
#include "lower/pass/diagnostics.h"

#include <stdlib.h>

/// An allocation that moves, and where to.
typedef struct candidate {
  const agpu__task_graph *graph;
  size_t object, loop;
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

static bool touches(const agpu__task *task, size_t object) {
  for (size_t i = 0; i < task->effects.accesses.count; ++i)
    if (task->effects.accesses.data[i].object == object)
      return true;
  return false;
}

typedef struct return_search {
  const candidate *candidate;
  bool found;
} return_search;

static MlirWalkResult find_return(MlirOperation op, void *data) {
  return_search *self = data;
  if (!agpu__op_is(op, "func.return"))
    return MlirWalkResultAdvance;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    self->found |=
        agpu__place_of_memref(&self->candidate->graph->function->objects,
                              mlirOperationGetOperand(op, i))
            .object == self->candidate->object;
  return MlirWalkResultAdvance;
}

/// True if the function's caller gets the object.
static bool is_returned(const candidate *self) {
  return_search search = {self, false};
  mlirOperationWalk(self->graph->function->function, find_return, &search,
                    MlirWalkPreOrder);
  return search.found;
}

/// True if nothing but its release stands after the loop, and in the loop at
/// least two tasks use the object, the first of which fills it.
static bool is_of_each_round(const candidate *self) {
  const agpu__task_graph *graph = self->graph;
  size_t scope = graph->tasks[self->loop].scope;
  size_t first = AGPU__NO_TASK, inside = 0;
  for (size_t t = 0; t < graph->count; ++t) {
    const agpu__task *task = &graph->tasks[t];
    if (!touches(task, self->object))
      continue;
    size_t here = agpu__task_in_scope(graph, t, scope);
    if (here == AGPU__NO_TASK)
      return false;
    if (here == self->loop) {
      ++inside;
      size_t top = agpu__task_in_scope(graph, t, graph->tasks[here].inner[0]);
      if (first == AGPU__NO_TASK)
        first = top;
      if (task->is_release)
        return false;
    } else if (here > self->loop && !task->is_release) {
      return false;
    }
  }
  return inside >= 2 && fills(&graph->tasks[first], self->object) &&
         !is_returned(self);
}

//===----------------------------------------------------------------------===//
// Moving it
//===----------------------------------------------------------------------===//

typedef struct twins {
  const candidate *candidate;
  agpu__builder at; ///< the beginning of the loop's body
  agpu__twins known;
} twins;

/// Copies the op that makes `memref`: the allocation, or a view of `source`.
static MlirValue copy_maker(twins *self, MlirValue memref, MlirValue source) {
  MlirOperation made = mlirOperationClone(mlirOpResultGetOwner(memref));
  if (!mlirValueIsNull(source))
    mlirOperationSetOperand(made, 0, source);
  mlirBlockInsertOwnedOperationBefore(self->at.block, self->at.before, made);
  MlirValue twin = agpu__result(made, mlirOpResultGetResultNumber(memref));
  agpu__twins_set(&self->known, memref, twin);
  return twin;
}

/// The memref of the object that stands for `memref` in the loop.
static MlirValue twin_of(twins *self, MlirValue memref) {
  agpu__values views = {0};
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
  agpu__values_free(&views);
  return twin;
}

static MlirWalkResult use_twins(MlirOperation op, void *data) {
  twins *self = data;
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
  agpu__ops releases = {0};
  MlirValue value = agpu__result(self->allocation, 0);
  bool used = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    used |= !agpu__op_is(user, "gpu.dealloc") &&
            !agpu__op_is(user, "memref.dealloc");
    agpu__ops_push(&releases, user);
  }
  for (size_t i = 0; i < releases.count && !used; ++i)
    mlirOperationDestroy(releases.data[i]);
  if (!used)
    mlirOperationDestroy(self->allocation);
  agpu__ops_free(&releases);
}

static void move(const candidate *self, bool remarks) {
  if (remarks) {
    MlirStringRef name = agpu__op_name(self->allocation);
    agpu__remark(
        mlirOperationGetLocation(self->body_of),
        "each iteration has its own %.*s of line %d, as it writes it first; "
        "at most two are in flight",
        (int)name.length, name.data,
        agpu__place_of(mlirOperationGetLocation(self->allocation)).line);
  }
  MlirBlock body = agpu__entry_block(self->body_of);
  twins made = {.candidate = self,
                .at = agpu__builder_at_start(
                    body, mlirOperationGetLocation(self->allocation))};
  mlirOperationWalk(self->body_of, use_twins, &made, MlirWalkPreOrder);
  release_at_end(self, body, twin_of(&made, agpu__result(self->allocation, 0)));
  agpu__twins_free(&made.known);
  remove_unused(self);
}

/// The allocation in the loop's block that the object is; a null op: none.
static MlirOperation allocation_of(const agpu__task_graph *graph, size_t object,
                                   MlirOperation loop) {
  MlirOperation none = {NULL};
  const agpu__object *it = &graph->function->objects.data[object];
  if (it->kind != AGPU__OBJECT_ALLOCATION || it->escapes ||
      !mlirValueIsAOpResult(it->value))
    return none;
  MlirOperation op = mlirOpResultGetOwner(it->value);
  return (agpu__op_is(op, "gpu.alloc") || agpu__op_is(op, "memref.alloc")) &&
                 mlirBlockEqual(mlirOperationGetBlock(op),
                                mlirOperationGetBlock(loop))
             ? op
             : none;
}

/// The objects that a loop may have anew in each round; the caller frees them.
static size_t *find_objects(agpu__task_graph *graph, size_t loop,
                            size_t *out_count) {
  size_t count = 0, *found = NULL;
  MlirOperation op = graph->tasks[loop].ops.data[0];
  for (size_t o = 0; o < graph->function->objects.count; ++o) {
    candidate self = {graph, o, loop, allocation_of(graph, o, op), op};
    if (mlirOperationIsNull(self.allocation) || !is_of_each_round(&self))
      continue;
    found = realloc(found, (count + 1) * sizeof(*found));
    if (!found)
      agpu__out_of_memory();
    found[count++] = o;
  }
  *out_count = count;
  return found;
}

bool agpu__rename_buffers(agpu__task_graph *graph, bool remarks) {
  bool any = false;
  for (size_t t = 0; t < graph->count && !any; ++t) {
    if (graph->tasks[t].kind != AGPU__TASK_LOOP)
      continue;
    size_t count, *objects = find_objects(graph, t, &count);
    if (count) {
      size_t before = agpu__count_overlaps(graph, t);
      graph->renamed = objects;
      graph->renamed_count = count;
      graph->renamed_loop = t;
      any = agpu__count_overlaps(graph, t) > before;
      graph->renamed_count = 0;
    }
    MlirOperation loop = graph->tasks[t].ops.data[0];
    for (size_t i = 0; i < count && any; ++i) {
      candidate self = {graph, objects[i], t,
                        allocation_of(graph, objects[i], loop), loop};
      move(&self, remarks);
    }
    free(objects);
  }
  return any;
}
