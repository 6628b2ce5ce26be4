//===- place_data.c - Memory of the host that kernels are given -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-place-data`: each object of the host's memory that a
// launch is given gets a place that the device reaches. The decision for each
// object is in decide.c, what is copied where in transfers.c, and what changes
// in apply.c and share.c. For a device that reaches the host's memory it stays
// where it is.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"
#include "gpu/plan/plan.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// What is not known
//===----------------------------------------------------------------------===//

/// A memref that a launch is given and of which nothing is known.
static MlirWalkResult check_given(MlirOperation op, void *data) {
  agpu__placing *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value) || agpu__is_in_launch(value) ||
        agpu__place_of_memref(&self->function->objects, value).object !=
            AGPU__ELSEWHERE)
      continue;
    agpu__error(mlirOperationGetLocation(op),
                "the kernel is given memory that cannot be placed: it comes "
                "from control flow that is not followed; " AGPU__PLACING_FIX);
    self->result = mlirLogicalResultFailure();
    return MlirWalkResultInterrupt;
  }
  return MlirWalkResultAdvance;
}

static MlirWalkResult check_launch(MlirOperation op, void *data) {
  if (!agpu__is_launch(op))
    return MlirWalkResultAdvance;
  mlirOperationWalk(op, check_given, data, MlirWalkPreOrder);
  return MlirWalkResultSkip;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static bool is_for_kernels(const agpu__placing *self, MlirValue memref) {
  size_t object =
      agpu__place_of_memref(&self->function->objects, memref).object;
  return object > AGPU__ELSEWHERE &&
         !self->function->objects.data[object].escapes &&
         !mlirOperationIsNull(agpu__placing_launch(self, object)) &&
         agpu__can_mirror(mlirValueGetType(memref));
}

/// True if the host does nothing to the allocation but free and copy it.
static bool is_only_copied(const agpu__placing *self, size_t object) {
  const agpu__object *it = &self->function->objects.data[object];
  const agpu__events *events = &self->touches->of[object];
  bool result = it->kind == AGPU__OBJECT_ALLOCATION && !it->flows && !it->next;
  for (size_t i = 0; i < events->count && result; ++i)
    result = events->data[i].on_device ||
             agpu__op_is(events->data[i].op, "memref.copy") ||
             agpu__op_is(events->data[i].op, "memref.dealloc");
  return result;
}

/// Copies between objects, as lists: of each object, those that it is copied to
/// or from.
typedef struct copy_graph {
  size_t *first; ///< of each object's, from 1; 0: none
  struct {
    size_t object, next;
  } *data;
  size_t count, capacity;
} copy_graph;

static void add_copies(const agpu__placing *self, size_t object,
                       copy_graph *graph) {
  const agpu__objects *objects = &self->function->objects;
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i) {
    MlirOperation op = events->data[i].op;
    if (!agpu__op_is(op, "memref.copy"))
      continue;
    for (intptr_t k = 0; k < 2; ++k) {
      size_t other =
          agpu__place_of_memref(objects, mlirOperationGetOperand(op, k)).object;
      AGPU__GROW(graph->data, graph->count, graph->capacity);
      graph->data[graph->count].object = object;
      graph->data[graph->count].next = graph->first[other];
      graph->first[other] = ++graph->count;
    }
  }
}

/// For each object whether its copies are for the device to do. Where that
/// reaches all memory, those of memory that is the host's as well are for the
/// host, which needs no buffer between; and so on along chains of copies. The
/// caller frees it.
static bool *find_movable(const agpu__placing *self) {
  size_t count = self->function->objects.count, left = 0;
  bool *movable = agpu__allocate(count, sizeof(*movable));
  AGPU__OWNED size_t *pending = agpu__allocate(count, sizeof(*pending));
  copy_graph graph = {.first = agpu__allocate(count, sizeof(*graph.first))};
  for (size_t i = 0; i < count; ++i) {
    movable[i] = !self->is_unified || is_only_copied(self, i);
    if (!movable[i])
      pending[left++] = i;
    else if (self->is_unified)
      add_copies(self, i, &graph);
  }
  while (left)
    for (size_t at = graph.first[pending[--left]]; at;
         at = graph.data[at - 1].next) {
      size_t other = graph.data[at - 1].object;
      if (movable[other])
        pending[left++] = other;
      movable[other] = false;
    }
  free(graph.first);
  free(graph.data);
  return movable;
}

/// Copies between memory that kernels use are for the device to do. True if
/// there are any.
static bool move_copies(const agpu__placing *self) {
  AGPU__SCOPED(ops) copies = {0};
  AGPU__OWNED bool *movable = find_movable(self);
  agpu__collect(self->function->function, "memref.copy", &copies);
  bool any = false;
  for (size_t i = 0; i < copies.count; ++i) {
    MlirOperation op = copies.data[i];
    MlirValue from = mlirOperationGetOperand(op, 0);
    MlirValue to = mlirOperationGetOperand(op, 1);
    const agpu__objects *objects = &self->function->objects;
    if (!is_for_kernels(self, from) || !is_for_kernels(self, to) ||
        !movable[agpu__place_of_memref(objects, from).object] ||
        !movable[agpu__place_of_memref(objects, to).object] ||
        !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch")) ||
        agpu__objects_may_alias(objects,
                                agpu__place_of_memref(objects, from).object,
                                agpu__place_of_memref(objects, to).object))
      continue;
    agpu__builder at = agpu__builder_before(op);
    MlirValue operands[] = {to, from};
    agpu__build_effect(&at, "gpu.memcpy", operands, 2);
    mlirOperationDestroy(op);
    any = true;
  }
  return any;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirWalkResult find_token(MlirOperation op, void *data) {
  bool has_token = agpu__op_in_dialect(op, "async") ||
                   (agpu__op_in_dialect(op, "gpu") &&
                    (!mlirValueIsNull(agpu__async_token_of(op)) ||
                     agpu__async_dependency_count(op) > 0));
  if (!has_token)
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

static void place_function(agpu__placing *self, agpu__summaries *summaries,
                           MlirOperation function) {
  bool has_token = false;
  mlirOperationWalk(function, find_token, &has_token, MlirWalkPreOrder);
  if (has_token || !agpu__holds_device_work(function))
    return;
  if (self->is_unified)
    agpu__set_attr(function, AGPU__UNIFIED_ATTR,
                   mlirUnitAttrGet(mlirOperationGetContext(function)));
  self->function = agpu__summary_of(summaries, function);
  agpu__touches touches;
  agpu__touches_create(summaries, self->function, &touches);
  self->touches = &touches;
  if (move_copies(self)) {
    agpu__touches_free(&touches);
    agpu__touches_create(summaries, self->function, &touches);
  }
  if (!self->is_unified)
    mlirOperationWalk(function, check_launch, self, MlirWalkPreOrder);
  AGPU__SCOPED(ops) dead = {0};
  self->dead = &dead;
  for (size_t o = AGPU__ELSEWHERE + 1; o < self->function->objects.count; ++o)
    agpu__place_object(self, o);
  // Names of values stay apart until here.
  for (size_t i = 0; i < dead.count; ++i)
    mlirOperationDestroy(dead.data[i]);
  agpu__touches_free(&touches);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  AGPU__SCOPED(ops) functions = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (agpu__op_is(op, "func.func") && !agpu__is_declaration(op))
      agpu__ops_push(&functions, op);
  bool noalias = agpu__pass_value_bool(values, "noalias-arguments");
  agpu__summaries summaries;
  agpu__spaces spaces;
  agpu__summaries_create(module, noalias, true, &summaries);
  agpu__spaces_create(&summaries, &functions, &spaces);
  // With what that has marked.
  agpu__summaries_free(&summaries);
  agpu__summaries_create(module, noalias, true, &summaries);
  agpu__placing self = {
      .spaces = &spaces,
      .remarks =
          agpu__pass_value_bool(values, "remarks") ||
          agpu__diagnostics_wants_remarks(mlirOperationGetContext(module)),
      .is_unified = !strcmp(agpu__pass_value_string(values, "memory"),
                            AGPU__MEMORY_UNIFIED),
      .result = mlirLogicalResultSuccess()};
  if (self.is_unified)
    agpu__set_attr(module, AGPU__UNIFIED_ATTR,
                   mlirUnitAttrGet(mlirOperationGetContext(module)));
  for (size_t i = 0; i < functions.count; ++i)
    agpu__summary_of(&summaries, functions.data[i]);
  for (size_t i = 0; i < functions.count; ++i)
    place_function(&self, &summaries, functions.data[i]);
  agpu__spaces_free(&spaces);
  agpu__summaries_free(&summaries);
  return self.result;
}

static const agpu_pass_option options[] = {
    {"noalias-arguments", AGPU_OPTION_BOOL, "false",
     "Take it that no two memref arguments of a function are the same memory, "
     "nor a global."},
    AGPU__MEMORY_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit where each buffer goes and how often it is copied, as remarks."},
};

const agpu_pass agpu__pass_place_data = {
    .argument = "async-gpu-place-data",
    .summary = "Put memory of the host that kernels use where they reach it",
    AGPU__OPTIONS(options),
    .run_with = run,
};
