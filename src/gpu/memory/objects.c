//===- objects.c - Whose memory a memref is of -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk gives each memref its object, by way of views, and one more finds
// the objects whose address goes elsewhere: into memory, a branch, a loop, a
// call that keeps it, or an op that the table of op_memory.c does not know.
// Memrefs that come from such places are of AGPU__ELSEWHERE.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/objects.h"

#include "lower/ir/op_memory.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Objects and places
//===----------------------------------------------------------------------===//

static size_t add_object(agpu__objects *self, agpu__object object) {
  if (self->count == self->capacity) {
    self->capacity = self->capacity ? 2 * self->capacity : 16;
    self->data = realloc(self->data, self->capacity * sizeof(*self->data));
    if (!self->data)
      abort();
  }
  self->data[self->count] = object;
  return self->count++;
}

static void set_place(agpu__objects *self, MlirValue memref,
                      agpu__place_in_memory place) {
  if (self->place_count == self->place_capacity) {
    self->place_capacity = self->place_capacity ? 2 * self->place_capacity : 64;
    self->places =
        realloc(self->places, self->place_capacity * sizeof(*self->places));
    if (!self->places)
      abort();
  }
  self->places[self->place_count] = place;
  agpu__map_set(&self->numbers, memref.ptr, self->place_count++);
}

agpu__place_in_memory agpu__place_of_memref(const agpu__objects *objects,
                                            MlirValue memref) {
  size_t number = agpu__map_get(&objects->numbers, memref.ptr);
  return number == AGPU__MAP_NONE
             ? (agpu__place_in_memory){AGPU__ELSEWHERE, AGPU__WHOLE, false}
             : objects->places[number];
}

static void add_whole(agpu__objects *self, MlirValue memref, size_t object) {
  set_place(
      self, memref,
      (agpu__place_in_memory){object, AGPU__WHOLE,
                              mlirTypeIsAMemRef(mlirValueGetType(memref))});
}

static void add_argument(agpu__objects *self, MlirOperation function,
                         intptr_t number, bool apart) {
  MlirValue value = mlirBlockGetArgument(agpu__entry_block(function), number);
  MlirAttribute all = agpu__attr(function, "arg_attrs");
  if (!mlirAttributeIsNull(all) && mlirAttributeIsAArray(all) &&
      number < mlirArrayAttrGetNumElements(all)) {
    MlirAttribute own = mlirArrayAttrGetElement(all, number);
    apart |= !mlirAttributeIsNull(
        mlirDictionaryAttrGetElementByName(own, agpu__str(AGPU__NOALIAS_ATTR)));
  }
  if (agpu__is_memref(value))
    add_whole(self, value,
              add_object(self, (agpu__object){.kind = AGPU__OBJECT_ARGUMENT,
                                              .value = value,
                                              .argument = (size_t)number,
                                              .apart = apart}));
}

static void add_arguments(agpu__objects *self, MlirOperation function,
                          bool all_apart) {
  MlirBlock entry = agpu__entry_block(function);
  MlirAttribute type = agpu__attr(function, "function_type");
  intptr_t inputs = mlirFunctionTypeGetNumInputs(mlirTypeAttrGetValue(type));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (i < inputs)
      add_argument(self, function, i, all_apart);
    else if (agpu__is_memref(mlirBlockGetArgument(entry, i)))
      // Workgroup and private memory of a kernel.
      add_whole(self, mlirBlockGetArgument(entry, i),
                add_object(self, (agpu__object){
                                     .kind = AGPU__OBJECT_ALLOCATION,
                                     .value = mlirBlockGetArgument(entry, i)}));
}

static size_t find_global(agpu__objects *self, MlirAttribute symbol) {
  for (size_t i = 0; i < self->count; ++i)
    if (self->data[i].kind == AGPU__OBJECT_GLOBAL &&
        mlirAttributeEqual(self->data[i].symbol, symbol))
      return i;
  return add_object(
      self, (agpu__object){.kind = AGPU__OBJECT_GLOBAL, .symbol = symbol});
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Narrows `place` to the subview, where that says in numbers which part it is.
static void narrow(MlirOperation subview, agpu__place_in_memory *place) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(subview, 0));
  MlirType to = mlirValueGetType(agpu__result(subview, 0));
  MlirAttribute offsets = agpu__attr(subview, "static_offsets");
  MlirAttribute sizes = agpu__attr(subview, "static_sizes");
  MlirAttribute strides = agpu__attr(subview, "static_strides");
  intptr_t rank = mlirShapedTypeGetRank(from);
  bool was_straight = place->straight;
  place->straight = false;
  if (!was_straight || rank > AGPU__BOX_RANK || rank == 0 ||
      mlirAttributeIsNull(offsets) || mlirAttributeIsNull(sizes) ||
      mlirAttributeIsNull(strides))
    return;
  agpu__box box = {.rank = (int)rank};
  bool unit = true;
  for (intptr_t i = 0; i < rank; ++i) {
    int64_t offset = mlirDenseI64ArrayGetElement(offsets, i);
    int64_t size = mlirDenseI64ArrayGetElement(sizes, i);
    int64_t stride = mlirDenseI64ArrayGetElement(strides, i);
    int64_t dynamic = mlirShapedTypeGetDynamicSize();
    if (offset == dynamic || size == dynamic || stride == dynamic ||
        offset < 0 || size < 0 || stride < 1 || offset > INT32_MAX ||
        size > INT32_MAX || stride > INT32_MAX)
      return;
    int64_t base = place->box.rank < 0 ? 0 : place->box.low[i];
    box.low[i] = base + offset;
    box.high[i] = base + offset + (size ? (size - 1) * stride + 1 : 0);
    unit &= stride == 1;
  }
  place->box = box;
  place->straight = unit && mlirShapedTypeGetRank(to) == rank;
}

static void add_views(agpu__objects *self, MlirOperation op) {
  agpu__place_in_memory place =
      agpu__place_of_memref(self, mlirOperationGetOperand(op, 0));
  if (agpu__op_is(op, "memref.subview"))
    narrow(op, &place);
  else if (agpu__op_is(op, "memref.reinterpret_cast") ||
           agpu__op_is(op, "memref.extract_strided_metadata")) {
    // Leads back to all of the allocation.
    place.box = AGPU__WHOLE;
    place.straight = false;
  } else if (agpu__op_is(op, "memref.cast")) {
    place.straight &= mlirTypeIsAMemRef(mlirValueGetType(agpu__result(op, 0)));
  } else if (!agpu__op_is(op, "memref.assume_alignment") &&
             !agpu__op_is(op, "memref.memory_space_cast")) {
    place.straight = false;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (agpu__is_memref(agpu__result(op, i)))
      set_place(self, agpu__result(op, i), place);
}

static void add_results(agpu__objects *self, MlirOperation op) {
  agpu__op_class class = agpu__memory_of_op(op).class;
  if (class == AGPU__OP_VIEW && mlirOperationGetNumOperands(op) &&
      agpu__is_memref(mlirOperationGetOperand(op, 0))) {
    add_views(self, op);
  } else if (class == AGPU__OP_ALLOCATES) {
    MlirValue value = agpu__result(op, 0);
    add_whole(self, value,
              add_object(self, (agpu__object){.kind = AGPU__OBJECT_ALLOCATION,
                                              .value = value}));
  } else if (class == AGPU__OP_GLOBAL) {
    add_whole(self, agpu__result(op, 0),
              find_global(self, agpu__attr(op, "name")));
  }
}

/// Memory that a launch has for its blocks or threads.
static void add_attributions(agpu__objects *self, MlirOperation launch) {
  MlirBlock body = agpu__entry_block(launch);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue value = mlirBlockGetArgument(body, i);
    if (agpu__is_memref(value))
      add_whole(self, value,
                add_object(self, (agpu__object){.kind = AGPU__OBJECT_ALLOCATION,
                                                .value = value}));
  }
}

//===----------------------------------------------------------------------===//
// Addresses that go elsewhere
//===----------------------------------------------------------------------===//

static bool keeps(MlirOperation op, intptr_t number, agpu__call_keeps call,
                  void *data) {
  switch (agpu__memory_of_op(op).class) {
  case AGPU__OP_VIEW: return number != 0;
  case AGPU__OP_CALL:
  case AGPU__OP_LAUNCH: return call(op, number, data);
  // Behind a return nothing of the function follows.
  case AGPU__OP_STRUCTURE:
    return !agpu__op_is(op, "func.return") && !agpu__op_is(op, "gpu.return");
  default: return !agpu__only_accesses(op, number);
  }
}

static void find_escapes(agpu__objects *self, MlirOperation op,
                         agpu__call_keeps call, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (agpu__is_memref(value) && keeps(op, i, call, data))
      self->data[agpu__place_of_memref(self, value).object].escapes = true;
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

void agpu__objects_create(MlirOperation function, bool all_apart,
                          agpu__call_keeps call, void *data,
                          agpu__objects *out_objects) {
  memset(out_objects, 0, sizeof(*out_objects));
  add_object(out_objects, (agpu__object){.kind = AGPU__OBJECT_WORLD});
  add_object(out_objects,
             (agpu__object){.kind = AGPU__OBJECT_ELSEWHERE, .escapes = true});
  add_arguments(out_objects, function, all_apart);
  agpu__ops all = {0};
  agpu__collect(function, NULL, &all);
  for (size_t i = 0; i < all.count; ++i) {
    add_results(out_objects, all.data[i]);
    if (agpu__op_is(all.data[i], "gpu.launch"))
      add_attributions(out_objects, all.data[i]);
  }
  for (size_t i = 0; i < all.count; ++i)
    find_escapes(out_objects, all.data[i], call, data);
  agpu__ops_free(&all);
}

void agpu__objects_free(agpu__objects *objects) {
  agpu__map_free(&objects->numbers);
  free(objects->places);
  free(objects->data);
  memset(objects, 0, sizeof(*objects));
}

bool agpu__object_is_private(const agpu__objects *objects, size_t object) {
  const agpu__object *it = &objects->data[object];
  switch (it->kind) {
  case AGPU__OBJECT_WORLD: return true;
  case AGPU__OBJECT_ALLOCATION: return !it->escapes;
  case AGPU__OBJECT_ARGUMENT: return it->apart && !it->escapes;
  case AGPU__OBJECT_ELSEWHERE:
  case AGPU__OBJECT_GLOBAL: break;
  }
  return false;
}

bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b) {
  if (a == b)
    return true;
  if (agpu__object_is_private(objects, a) ||
      agpu__object_is_private(objects, b))
    return false;
  const agpu__object *x = &objects->data[a], *y = &objects->data[b];
  if (x->kind == AGPU__OBJECT_ELSEWHERE || y->kind == AGPU__OBJECT_ELSEWHERE)
    return true;
  // An allocation of the function is not what its caller or a symbol names, and
  // symbols are apart. Arguments may be anything else, if nothing sets them
  // apart.
  if (x->kind == AGPU__OBJECT_ALLOCATION || y->kind == AGPU__OBJECT_ALLOCATION)
    return false;
  if (x->kind == AGPU__OBJECT_GLOBAL && y->kind == AGPU__OBJECT_GLOBAL)
    return false;
  return !x->apart && !y->apart;
}
