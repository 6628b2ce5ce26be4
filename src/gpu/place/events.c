//===- events.c - Where a function touches memory, and from which side -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order. Control flow that holds work for the device is
// entered; any other op is one event for each object that it touches, with all
// that is in it. What an op of the host does elsewhere it does to each object
// that may be meant.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/events.h"

#include "lower/ir/op_memory.h"

#include <stdlib.h>
#include <string.h>

bool agpu__is_launch(MlirOperation op) {
  return agpu__op_is(op, "gpu.launch") || agpu__op_is(op, "gpu.launch_func");
}

/// True for ops that the device does, wherever the memory is that they are
/// given.
static bool is_device_op(MlirOperation op) {
  return agpu__is_launch(op) || agpu__op_is(op, "gpu.memcpy") ||
         agpu__op_is(op, "gpu.memset");
}

static MlirWalkResult find_device_op(MlirOperation op, void *data) {
  if (!is_device_op(op))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

bool agpu__holds_device_work(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find_device_op, &found, MlirWalkPreOrder);
  return found;
}

static void push(agpu__events *events, agpu__event event) {
  // One op, one event.
  if (events->count) {
    agpu__event *last = &events->data[events->count - 1];
    if (mlirOperationEqual(last->op, event.op)) {
      last->reads |= event.reads;
      last->writes |= event.writes;
      return;
    }
  }
  if (events->count == events->capacity) {
    events->capacity = events->capacity ? 2 * events->capacity : 4;
    events->data =
        realloc(events->data, events->capacity * sizeof(*events->data));
    if (!events->data)
      abort();
  }
  events->data[events->count++] = event;
}

static void add_access(agpu__touches *self, MlirOperation op, bool on_device,
                       const agpu__access *access) {
  const agpu__objects *objects = &self->function->objects;
  bool covers = access->covers && access->box.rank < 0;
  for (size_t o = 0; o < objects->count; ++o) {
    bool is_it = o == access->object;
    // A kernel has been given the object that it is given.
    if (!is_it &&
        (on_device || !agpu__objects_may_alias(objects, o, access->object)))
      continue;
    push(&self->of[o],
         (agpu__event){.op = op,
                       .on_device = on_device,
                       .reads = access->reads || !covers || !is_it,
                       .writes = access->writes});
  }
}

static void add_unit(agpu__touches *self, MlirOperation op) {
  agpu__op_effects effects = {0};
  agpu__add_op_effects(self->summaries, &self->function->objects, op, &effects);
  for (size_t i = 0; i < effects.accesses.count; ++i)
    if (effects.accesses.data[i].object != AGPU__WORLD)
      add_access(self, op, is_device_op(op), &effects.accesses.data[i]);
  agpu__accesses_free(&effects.accesses);
}

/// What is returned is read by the caller.
static void add_return(agpu__touches *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value))
      continue;
    agpu__access access = {
        .object = agpu__place_of_memref(&self->function->objects, value).object,
        .box = AGPU__WHOLE,
        .reads = true};
    add_access(self, op, false, &access);
  }
}

static void add_regions(agpu__touches *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner)) {
        bool enters = mlirOperationGetNumRegions(inner) &&
                      !agpu__is_launch(inner) &&
                      agpu__memory_of_op(inner).class == AGPU__OP_STRUCTURE &&
                      agpu__holds_device_work(inner);
        if (enters)
          add_regions(self, inner);
        else if (agpu__op_is(inner, "func.return"))
          add_return(self, inner);
        else
          add_unit(self, inner);
      }
}

void agpu__touches_create(agpu__summaries *summaries,
                          const agpu__summary *function,
                          agpu__touches *out_touches) {
  *out_touches = (agpu__touches){
      .summaries = summaries,
      .function = function,
      .of = calloc(function->objects.count + 1, sizeof(*out_touches->of))};
  if (!out_touches->of)
    abort();
  add_regions(out_touches, function->function);
}

void agpu__touches_free(agpu__touches *touches) {
  for (size_t i = 0; i < touches->function->objects.count; ++i)
    free(touches->of[i].data);
  free(touches->of);
}
