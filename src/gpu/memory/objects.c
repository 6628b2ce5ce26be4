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
// Where control flow is followed, a value that it gives is an object without a
// member at first, which is united with those of all values that it may be. An
// object has a member at the end, unless nothing reaches it.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Objects and places
//===----------------------------------------------------------------------===//

static unsigned reach_of(const agpu__object *object) {
  switch (object->kind) {
  case AGPU__OBJECT_WORLD:
  case AGPU__OBJECT_ALLOCATION: break;
  case AGPU__OBJECT_ARGUMENT: return object->noalias ? 0 : AGPU__REACH_ARGUMENT;
  case AGPU__OBJECT_GLOBAL: return object->noalias ? 0 : AGPU__REACH_GLOBAL;
  case AGPU__OBJECT_RESULT: return object->noalias ? 0 : AGPU__REACH_ANY;
  case AGPU__OBJECT_ELSEWHERE:
  case AGPU__OBJECT_FLOW: return AGPU__REACH_ANY;
  }
  return 0;
}

static size_t add_object(agpu__objects *self, agpu__object object) {
  AGPU__GROW(self->data, self->count, self->capacity);
  object.leader = self->count;
  object.reach = reach_of(&object);
  self->data[self->count] = object;
  return self->count++;
}

static void set_place(agpu__objects *self, MlirValue memref,
                      agpu__place_in_memory place) {
  AGPU__GROW(self->places, self->place_count, self->place_capacity);
  self->places[self->place_count] = place;
  agpu__map_set(&self->numbers, memref.ptr, self->place_count++);
}

agpu__place_in_memory agpu__place_of_memref(const agpu__objects *objects,
                                            MlirValue memref) {
  size_t number = agpu__map_get(&objects->numbers, memref.ptr);
  return number == AGPU__MAP_NONE
             ? (agpu__place_in_memory){AGPU__ELSEWHERE, AGPU__ELSEWHERE,
                                       AGPU__WHOLE, false}
             : objects->places[number];
}

static void add_whole(agpu__objects *self, MlirValue memref, size_t object) {
  set_place(
      self, memref,
      (agpu__place_in_memory){object, object, AGPU__WHOLE,
                              mlirTypeIsAMemRef(mlirValueGetType(memref))});
}

static void add_argument(agpu__objects *self, MlirOperation function,
                         intptr_t number, bool noalias) {
  MlirValue value = mlirBlockGetArgument(agpu__entry_block(function), number);
  MlirAttribute all = agpu__attr(function, "arg_attrs");
  if (!mlirAttributeIsNull(all) && mlirAttributeIsAArray(all) &&
      number < mlirArrayAttrGetNumElements(all)) {
    MlirAttribute own = mlirArrayAttrGetElement(all, number);
    noalias |= !mlirAttributeIsNull(
        mlirDictionaryAttrGetElementByName(own, agpu__str(AGPU__NOALIAS_ATTR)));
  }
  if (agpu__is_memref(value))
    add_whole(self, value,
              add_object(self, (agpu__object){.kind = AGPU__OBJECT_ARGUMENT,
                                              .value = value,
                                              .argument = (size_t)number,
                                              .noalias = noalias}));
}

static void add_arguments(agpu__objects *self, MlirOperation function,
                          bool all_noalias) {
  MlirBlock entry = agpu__entry_block(function);
  MlirAttribute type = agpu__attr(function, "function_type");
  intptr_t inputs = mlirFunctionTypeGetNumInputs(mlirTypeAttrGetValue(type));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i)
    if (i < inputs)
      add_argument(self, function, i, all_noalias);
    else if (agpu__is_memref(mlirBlockGetArgument(entry, i)))
      // Workgroup and private memory of a kernel.
      add_whole(self, mlirBlockGetArgument(entry, i),
                add_object(self, (agpu__object){
                                     .kind = AGPU__OBJECT_ALLOCATION,
                                     .value = mlirBlockGetArgument(entry, i)}));
}

static size_t find_global(agpu__objects *self, MlirOperation get) {
  MlirAttribute symbol = agpu__attr(get, "name");
  for (size_t i = 0; i < self->count; ++i)
    if (self->data[i].kind == AGPU__OBJECT_GLOBAL &&
        mlirAttributeEqual(self->data[i].symbol, symbol))
      return i;
  return add_object(
      self, (agpu__object){.kind = AGPU__OBJECT_GLOBAL,
                           .symbol = symbol,
                           .noalias = agpu__has_attr(get, AGPU__NOALIAS_ATTR)});
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
  bool was_identity = place->is_identity;
  place->is_identity = false;
  if (!was_identity || rank > AGPU__BOX_RANK || rank == 0 ||
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
  place->is_identity = unit && mlirShapedTypeGetRank(to) == rank;
}

static void add_views(agpu__objects *self, MlirOperation op) {
  agpu__place_in_memory place =
      agpu__place_of_memref(self, mlirOperationGetOperand(op, 0));
  if (agpu__op_is(op, "memref.subview"))
    narrow(op, &place);
  else if (agpu__op_has(op, AGPU__OP_WHOLE)) {
    // Leads back to all of the allocation.
    place.box = AGPU__WHOLE;
    place.is_identity = false;
  } else {
    place.is_identity &=
        agpu__op_has(op, AGPU__OP_SAME) &&
        mlirTypeIsAMemRef(mlirValueGetType(agpu__result(op, 0)));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (agpu__is_memref(agpu__result(op, i)))
      set_place(self, agpu__result(op, i), place);
}

static bool is_known(const agpu__objects *self, MlirValue memref) {
  return agpu__map_get(&self->numbers, memref.ptr) != AGPU__MAP_NONE;
}

/// One of its first operand. What is a view of several is not followed.
static bool is_view(MlirOperation op) {
  return agpu__is_view(op) && !agpu__op_has(op, AGPU__OP_EACH) &&
         mlirOperationGetNumOperands(op) &&
         agpu__is_memref(mlirOperationGetOperand(op, 0));
}

/// What an op gives that is no view, and that nothing is known of.
static void add_unknown(agpu__objects *self, MlirOperation op,
                        const agpu__object_rules *rules) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue value = agpu__result(op, i);
    if (!agpu__is_memref(value) || is_known(self, value))
      continue;
    bool own =
        agpu__op_is(op, "func.call") && rules->is_own(op, i, rules->data);
    add_whole(self, value,
              add_object(self, (agpu__object){.kind = AGPU__OBJECT_RESULT,
                                              .value = value,
                                              .noalias = own,
                                              .escapes = !own}));
  }
}

static void add_results(agpu__objects *self, MlirOperation op,
                        const agpu__object_rules *rules) {
  agpu__op_class class = agpu__memory_of_op(op).class;
  if (!mlirOperationGetNumResults(op) || is_known(self, agpu__result(op, 0)))
    return;
  if (is_view(op)) {
    add_views(self, op);
  } else if (class == AGPU__OP_ALLOCATES &&
             agpu__is_memref(agpu__result(op, 0))) {
    MlirValue value = agpu__result(op, 0);
    add_whole(self, value,
              add_object(self, (agpu__object){.kind = AGPU__OBJECT_ALLOCATION,
                                              .value = value}));
  } else if (class == AGPU__OP_GLOBAL) {
    add_whole(self, agpu__result(op, 0), find_global(self, op));
  } else if (rules->follow) {
    add_unknown(self, op, rules);
  }
}

/// The same, first of all for what the op is a view of, which may stand below
/// where there are several blocks.
static void add_in_order(agpu__objects *self, MlirOperation op,
                         const agpu__object_rules *rules) {
  AGPU__SCOPED(ops) chain = {0};
  agpu__ops_push(&chain, op);
  while (is_view(chain.data[chain.count - 1])) {
    MlirValue source = mlirOperationGetOperand(chain.data[chain.count - 1], 0);
    if (is_known(self, source) || !mlirValueIsAOpResult(source))
      break;
    agpu__ops_push(&chain, mlirOpResultGetOwner(source));
  }
  for (size_t i = chain.count; i-- > 0;)
    add_results(self, chain.data[i], rules);
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

/// True if the number that an address becomes is compared, and no more: itself,
/// or in memory of the function that it is put into for a callee to compare.
static bool is_compared(const agpu__objects *self, MlirOperation op) {
  AGPU__USES_FOREACH (use, agpu__result(op, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (agpu__op_is(user, "arith.cmpi"))
      continue;
    if (!agpu__op_is(user, "memref.store"))
      return false;
    const agpu__object *list =
        &self->data[agpu__place_of_memref(self,
                                          mlirOperationGetOperand(user, 1))
                        .object];
    if (list->kind != AGPU__OBJECT_ALLOCATION || list->escapes)
      return false;
  }
  return true;
}

static void ignore_flow(MlirValue from, MlirValue to, void *data) {
  (void)from;
  (void)to;
  (void)data;
}

static bool captures(MlirOperation op, intptr_t number,
                     const agpu__object_rules *rules) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  if ((rules->follow && agpu__follow_operand(op, number, ignore_flow, NULL)) ||
      agpu__op_has(op, AGPU__OP_POINTER)) // find_pointers
    return false;
  switch (memory.class) {
  case AGPU__OP_VIEW:
    return !is_view(op) ||
           (number != 0 && !(number < 32 && memory.reads >> number & 1));
  case AGPU__OP_CALL:
  case AGPU__OP_LAUNCH: return rules->captures(op, number, rules->data);
  // After a return nothing of the function follows.
  case AGPU__OP_STRUCTURE:
    return !agpu__op_is(op, "func.return") && !agpu__op_is(op, "gpu.return");
  default: return !agpu__only_accesses(op, number);
  }
}

static void find_escapes(agpu__objects *self, MlirOperation op,
                         const agpu__object_rules *rules) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (agpu__is_memref(value) && captures(op, i, rules))
      self->data[agpu__place_of_memref(self, value).object].escapes = true;
  }
}

/// When all others are known.
static void find_pointers(agpu__objects *self, MlirOperation op) {
  if (agpu__op_has(op, AGPU__OP_POINTER) && !is_compared(self, op))
    self->data[agpu__place_of_memref(self, mlirOperationGetOperand(op, 0))
                   .object]
        .escapes = true;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool agpu__is_in_launch(MlirValue value) {
  bool is_result = mlirValueIsAOpResult(value);
  MlirOperation op =
      is_result ? mlirOpResultGetOwner(value)
                : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return (!is_result && agpu__op_is(op, "gpu.launch")) ||
         !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch"));
}

static void add_target(MlirValue from, MlirValue to, void *data) {
  agpu__objects *self = data;
  (void)from;
  if (is_known(self, to))
    return;
  agpu__object none = {.kind = AGPU__OBJECT_FLOW,
                       .flows = !agpu__is_in_launch(to)};
  size_t object = add_object(self, none);
  set_place(self, to,
            (agpu__place_in_memory){object, object, AGPU__WHOLE, false});
}

static size_t leader_of(agpu__objects *self, size_t object) {
  agpu__object *data = self->data;
  while (data[object].leader != object)
    object = data[object].leader = data[data[object].leader].leader;
  return object;
}

static void unite(MlirValue from, MlirValue to, void *data) {
  agpu__objects *self = data;
  size_t a = leader_of(self, agpu__place_of_memref(self, from).object);
  size_t b = leader_of(self, agpu__place_of_memref(self, to).object);
  // One that has a member leads.
  bool swap = self->data[a].kind == AGPU__OBJECT_FLOW ||
              (b < a && self->data[b].kind != AGPU__OBJECT_FLOW);
  self->data[swap ? a : b].leader = swap ? b : a;
}

/// Functions may give back what they are given.
static void follow_call(agpu__objects *self, MlirOperation call,
                        intptr_t number, const agpu__object_rules *rules,
                        agpu__flow visit) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(call); ++r)
    if (agpu__is_memref(agpu__result(call, r)) &&
        rules->gives(call, r, number, rules->data))
      visit(mlirOperationGetOperand(call, number), agpu__result(call, r), self);
}

static void follow(agpu__objects *self, const agpu__ops *all,
                   const agpu__object_rules *rules, agpu__flow visit) {
  for (size_t i = 0; i < all->count; ++i)
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(all->data[i]); ++k) {
      if (!agpu__is_memref(mlirOperationGetOperand(all->data[i], k)))
        continue;
      if (agpu__op_is(all->data[i], "func.call"))
        follow_call(self, all->data[i], k, rules, visit);
      else
        agpu__follow_operand(all->data[i], k, visit, self);
    }
}

/// Tells the leaders what their members are, and memrefs who leads.
static void settle(agpu__objects *self) {
  for (size_t o = self->count; o-- > AGPU__ELSEWHERE + 1;) {
    agpu__object *it = &self->data[o];
    size_t leader = it->leader = leader_of(self, o);
    agpu__object *first = &self->data[leader];
    first->flows |= it->flows;
    if (o == leader || it->kind == AGPU__OBJECT_FLOW)
      continue;
    it->next = first->next;
    first->next = o;
    first->escapes |= it->escapes;
    first->reach |= it->reach;
  }
  for (size_t i = 0; i < self->place_count; ++i) {
    agpu__place_in_memory *place = &self->places[i];
    place->object = self->data[place->object].leader;
    const agpu__object *leader = &self->data[place->object];
    if (leader->kind == AGPU__OBJECT_FLOW)
      place->object = AGPU__ELSEWHERE; // nothing reaches it
    if (leader->next || leader->kind == AGPU__OBJECT_FLOW) {
      place->box = AGPU__WHOLE;
      place->is_identity = false;
    }
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

void agpu__objects_create(MlirOperation function,
                          const agpu__object_rules *rules,
                          agpu__objects *out_objects) {
  memset(out_objects, 0, sizeof(*out_objects));
  add_object(out_objects, (agpu__object){.kind = AGPU__OBJECT_WORLD});
  add_object(out_objects,
             (agpu__object){.kind = AGPU__OBJECT_ELSEWHERE, .escapes = true});
  add_arguments(out_objects, function, rules->all_noalias);
  AGPU__SCOPED(ops) all = {0};
  agpu__collect(function, NULL, &all);
  if (rules->follow)
    follow(out_objects, &all, rules, add_target);
  for (size_t i = 0; i < all.count; ++i) {
    add_in_order(out_objects, all.data[i], rules);
    if (agpu__op_is(all.data[i], "gpu.launch"))
      add_attributions(out_objects, all.data[i]);
  }
  if (rules->follow) {
    follow(out_objects, &all, rules, unite);
    settle(out_objects);
  }
  for (size_t i = 0; i < all.count; ++i)
    find_escapes(out_objects, all.data[i], rules);
  for (size_t i = 0; i < all.count; ++i)
    find_pointers(out_objects, all.data[i]);
}

void agpu__objects_free(agpu__objects *objects) {
  agpu__map_free(&objects->numbers);
  free(objects->places);
  free(objects->data);
  memset(objects, 0, sizeof(*objects));
}

//===----------------------------------------------------------------------===//
// What may be the same memory
//
// Allocations, arguments that are said not to alias, and what a call has
// allocated are memory of their own as long as their addresses stay in the
// function.
//===----------------------------------------------------------------------===//

bool agpu__object_is_private(const agpu__objects *objects, size_t object) {
  const agpu__object *it = &objects->data[object];
  return !it->reach && !it->escapes;
}

bool agpu__objects_may_alias(const agpu__objects *objects, size_t a, size_t b) {
  if (a == b)
    return true;
  if (agpu__object_is_private(objects, a) ||
      agpu__object_is_private(objects, b))
    return false;
  unsigned x = objects->data[a].reach, y = objects->data[b].reach;
  return (x | y) & AGPU__REACH_ANY ||
         (x && y && (x | y) & AGPU__REACH_ARGUMENT);
}

bool agpu__members_may_meet(const agpu__objects *objects, size_t a, size_t b) {
  const agpu__object *both[] = {&objects->data[a], &objects->data[b]};
  bool is_result = false, is_allocation = false, is_global = true;
  if (both[0]->kind == AGPU__OBJECT_FLOW ||
      both[1]->kind == AGPU__OBJECT_FLOW ||
      both[0]->kind == AGPU__OBJECT_ELSEWHERE ||
      both[1]->kind == AGPU__OBJECT_ELSEWHERE)
    return agpu__objects_may_alias(objects, both[0]->leader, both[1]->leader);
  for (int i = 0; i < 2; ++i) {
    const agpu__object *it = both[i];
    bool is_own = it->kind == AGPU__OBJECT_ALLOCATION || it->noalias;
    if (is_own && !objects->data[it->leader].escapes)
      return a == b;
    is_result |= it->kind == AGPU__OBJECT_RESULT;
    is_allocation |= it->kind == AGPU__OBJECT_ALLOCATION;
    is_global &= it->kind == AGPU__OBJECT_GLOBAL;
  }
  return a == b || is_result ||
         (!is_allocation && !is_global && !both[0]->noalias &&
          !both[1]->noalias);
}
