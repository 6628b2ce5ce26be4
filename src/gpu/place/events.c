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
// entered, and branches that free memory are; any other op is one event for
// each object that it touches, with all that is in it. What an op of the host
// does elsewhere it does to each object that may be meant.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include "async_gpu/compiled/mpi.h"

#include <stdlib.h>

bool agpu__is_launch(MlirOperation op) {
  return agpu__op_is(op, "gpu.launch") || agpu__op_is(op, "gpu.launch_func");
}

/// True for ops that the device does, wherever the memory is that they are
/// given.
static bool is_device_op(MlirOperation op) {
  return agpu__op_has(op, AGPU__OP_DEVICE);
}

static MlirWalkResult find_device_op(MlirOperation op, void *data) {
  if (!is_device_op(op))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

bool agpu__is_halo(MlirOperation op) {
  return agpu__op_is(op, "agpu.exchange") &&
         mlirDenseI64ArrayGetElement(agpu__attr(op, "numbers"), 0) ==
             AGPU_MPI_UPDATE_HALO;
}

/// True where the device's copy of what `op` accesses is as good: the runtime
/// takes from it what other ranks need.
static bool takes_from_device(const agpu__touches *self, MlirOperation op,
                              const agpu__access *access) {
  if (!agpu__op_has(op, AGPU__OP_MESSAGES) || access->writes ||
      agpu__place_of_memref(&self->function->objects,
                            mlirOperationGetOperand(op, 1))
              .object == access->object)
    return false;
  AGPU__EACH_MEMBER(member, &self->function->objects, access->object)
  if (self->function->objects.data[member].kind != AGPU__OBJECT_ALLOCATION)
    return false;
  return true;
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
      last->by_other_name |= event.by_other_name;
      return;
    }
  }
  AGPU__GROW(events->data, events->count, events->capacity);
  events->data[events->count++] = event;
}

static void add_event(agpu__touches *self, size_t object, MlirOperation op,
                      bool on_device, const agpu__access *access) {
  bool is_it = object == access->object;
  bool covers = access->covers && access->box.rank < 0;
  push(&self->of[object],
       (agpu__event){.op = op,
                     .on_device = on_device,
                     .reads = access->reads || !covers || !is_it,
                     .writes = access->writes,
                     .by_other_name = !is_it});
}

static void add_access(agpu__touches *self, MlirOperation op, bool on_device,
                       const agpu__access *access) {
  const agpu__objects *objects = &self->function->objects;
  add_event(self, access->object, op, on_device, access);
  // A kernel has been given the object that it is given, and what is freed by
  // another name is not used any more.
  if (on_device || agpu__op_is(op, "memref.dealloc") ||
      agpu__object_is_private(objects, access->object))
    return;
  for (size_t i = 0; i < self->open_count; ++i)
    if (self->open[i] != access->object &&
        agpu__objects_may_alias(objects, self->open[i], access->object))
      add_event(self, self->open[i], op, on_device, access);
}

/// A launch whose memrefs are looked at.
typedef struct launch_walk {
  agpu__touches *touches;
  MlirOperation launch;
} launch_walk;

static MlirWalkResult add_given(MlirOperation op, void *data) {
  const launch_walk *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value) || agpu__is_in_launch(value))
      continue;
    agpu__access access = {
        .object =
            agpu__place_of_memref(&self->touches->function->objects, value)
                .object,
        .box = AGPU__WHOLE,
        .reads = true,
        .writes = true};
    add_event(self->touches, access.object, self->launch, true, &access);
  }
  return MlirWalkResultAdvance;
}

static void add_unit(agpu__touches *self, MlirOperation op) {
  agpu__op_effects effects = {0};
  const agpu__objects *objects = &self->function->objects;
  agpu__add_op_effects(self->summaries, objects, op, &effects);
  bool is_open = false;
  for (size_t i = 0; i < effects.accesses.count; ++i) {
    const agpu__access *access = &effects.accesses.data[i];
    is_open |= access->object == AGPU__ELSEWHERE;
    if (access->object != AGPU__WORLD)
      add_access(self, op,
                 is_device_op(op) || takes_from_device(self, op, access),
                 access);
  }
  agpu__accesses_free(&effects.accesses);
  // A kernel whose accesses are not all seen has what it was given.
  launch_walk all = {self, op};
  if (is_open && agpu__is_launch(op))
    mlirOperationWalk(op, add_given, &all, MlirWalkPreOrder);
}

static void add_uses(agpu__touches *self) {
  AGPU__SCOPED(ops) all = {0};
  agpu__collect(self->function->function, NULL, &all);
  for (size_t i = 0; i < all.count; ++i) {
    MlirOperation op = all.data[i];
    agpu__ops *of = mlirOperationIsNull(agpu__parent_of(op, "gpu.launch"))
                        ? self->uses
                        : self->inner;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
      MlirValue value = mlirOperationGetOperand(op, k);
      if (!agpu__is_memref(value))
        continue;
      agpu__ops *uses =
          &of[agpu__place_of_memref(&self->function->objects, value).object];
      if (!uses->count || !mlirOperationEqual(uses->data[uses->count - 1], op))
        agpu__ops_push(uses, op);
    }
  }
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

static MlirWalkResult find_dealloc(MlirOperation op, void *data) {
  if (!agpu__op_is(op, "memref.dealloc"))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

/// True for control flow whose ops are looked at one by one.
static bool is_entered(MlirOperation op) {
  if (!mlirOperationGetNumRegions(op) || agpu__is_launch(op) ||
      agpu__memory_of_op(op).class != AGPU__OP_STRUCTURE)
    return false;
  bool frees = false;
  if (agpu__op_is(op, "scf.if"))
    mlirOperationWalk(op, find_dealloc, &frees, MlirWalkPreOrder);
  return frees || agpu__holds_device_work(op);
}

static void add_regions(agpu__touches *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, i))
      AGPU__OPS_FOREACH (inner, block) {
        if (is_entered(inner))
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
  const agpu__objects *objects = &function->objects;
  *out_touches = (agpu__touches){
      .summaries = summaries,
      .function = function,
      .of = agpu__allocate(objects->count, sizeof(*out_touches->of)),
      .uses = agpu__allocate(objects->count, sizeof(*out_touches->uses)),
      .inner = agpu__allocate(objects->count, sizeof(*out_touches->inner)),
      .open = agpu__allocate(objects->count, sizeof(*out_touches->open))};
  for (size_t o = 0; o < objects->count; ++o)
    if (objects->data[o].leader == o && !agpu__object_is_private(objects, o))
      out_touches->open[out_touches->open_count++] = o;
  add_regions(out_touches, function->function);
  add_uses(out_touches);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// An op of the device, and what of an object it is given.
typedef struct members {
  const agpu__objects *objects;
  size_t object, member;
  bool has_member, has_flow;
} members;

static MlirWalkResult note_members(MlirOperation op, void *data) {
  members *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(value) || agpu__is_in_launch(value))
      continue;
    agpu__place_in_memory place = agpu__place_of_memref(self->objects, value);
    if (place.object != self->object)
      continue;
    self->has_member |= place.member == self->member;
    self->has_flow |=
        self->objects->data[place.member].kind == AGPU__OBJECT_FLOW;
  }
  return MlirWalkResultAdvance;
}

bool agpu__touches_of_member(const agpu__touches *touches, size_t member,
                             agpu__events *out_events) {
  const agpu__objects *objects = &touches->function->objects;
  size_t object = objects->data[member].leader;
  const agpu__events *all = &touches->of[object];
  *out_events = (agpu__events){0};
  for (size_t i = 0; i < all->count; ++i) {
    agpu__event event = all->data[i];
    members given = {objects, object, member, false, false};
    if (event.on_device)
      mlirOperationWalk(event.op, note_members, &given, MlirWalkPreOrder);
    if (given.has_flow)
      return false;
    // What the host does may be done to another one. One that is freed needs no
    // copy from then on.
    event.reads |= !event.on_device && event.writes;
    event.writes &= !agpu__op_is(event.op, "memref.dealloc");
    if (!event.on_device || given.has_member)
      push(out_events, event);
  }
  return true;
}

void agpu__touches_free(agpu__touches *touches) {
  for (size_t i = 0; i < touches->function->objects.count; ++i) {
    free(touches->of[i].data);
    agpu__ops_free(&touches->uses[i]);
    agpu__ops_free(&touches->inner[i]);
  }
  free(touches->of);
  free(touches->uses);
  free(touches->inner);
  free(touches->open);
}
