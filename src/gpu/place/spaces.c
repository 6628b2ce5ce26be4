//===- spaces.c - Where arguments of functions lie -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument lies where the memory does that callers give, followed from
// caller to callee until nothing changes, and so do results, from callee to
// caller. What a function is given that nobody
// in the module calls is memory of the host, unless its type says that it is
// not.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include <stdlib.h>

static intptr_t argument_count(MlirOperation function) {
  return mlirFunctionTypeGetNumInputs(agpu__function_type(function));
}

static intptr_t result_count(MlirOperation function) {
  return mlirFunctionTypeGetNumResults(agpu__function_type(function));
}

/// True for types whose memory space is the device's.
static bool is_device_type(MlirType type) {
  MlirAttribute space = mlirTypeIsAMemRef(type)
                            ? mlirMemRefTypeGetMemorySpace(type)
                            : mlirAttributeGetNull();
  return !mlirAttributeIsNull(space) &&
         mlirAttributeEqual(space,
                            agpu__parse_attr(mlirTypeGetContext(type),
                                             "#gpu.address_space<global>"));
}

/// What an op gives that allocates nothing: a call's result is where the callee
/// has it from, and anything else on the host.
static unsigned space_of_result(const agpu__spaces *self, MlirValue value) {
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirOperation callee = agpu__op_is(op, "func.call")
                             ? agpu__callee_of(self->summaries, op)
                             : (MlirOperation){NULL};
  size_t number = mlirOperationIsNull(callee)
                      ? AGPU__MAP_NONE
                      : agpu__map_get(&self->numbers, callee.ptr);
  return number == AGPU__MAP_NONE
             ? AGPU__SPACE_HOST
             : self->results[number][mlirOpResultGetResultNumber(value)];
}

unsigned agpu__space_of_member(const agpu__spaces *spaces,
                               const agpu__summary *function, size_t object) {
  const agpu__object *it = &function->objects.data[object];
  const void *key =
      it->kind == AGPU__OBJECT_GLOBAL ? it->symbol.ptr : it->value.ptr;
  if (key && agpu__map_get(&spaces->registered, key) != AGPU__MAP_NONE)
    return AGPU__SPACE_DEVICE;
  switch (it->kind) {
  case AGPU__OBJECT_GLOBAL: return AGPU__SPACE_HOST;
  case AGPU__OBJECT_WORLD:
  case AGPU__OBJECT_ELSEWHERE:
  case AGPU__OBJECT_FLOW: return 0;
  case AGPU__OBJECT_ALLOCATION:
    return agpu__is_in_launch(it->value) ||
                   agpu__op_is(mlirOpResultGetOwner(it->value), "gpu.alloc")
               ? AGPU__SPACE_DEVICE
               : AGPU__SPACE_HOST;
  case AGPU__OBJECT_RESULT:
    return agpu__is_in_launch(it->value) ? AGPU__SPACE_DEVICE
                                         : space_of_result(spaces, it->value);
  case AGPU__OBJECT_ARGUMENT: break;
  }
  if (is_device_type(mlirValueGetType(it->value)))
    return AGPU__SPACE_DEVICE;
  size_t number = agpu__map_get(&spaces->numbers, function->function.ptr);
  return number == AGPU__MAP_NONE ? 0 : spaces->of[number][it->argument];
}

unsigned agpu__space_of(const agpu__spaces *spaces,
                        const agpu__summary *function, size_t object) {
  unsigned all = 0;
  AGPU__EACH_MEMBER(member, &function->objects, object)
  all |= agpu__space_of_member(spaces, function, member);
  return all;
}

/// Adds what `call`, in `caller`, gives its callee. True if that is news.
static bool add_call(agpu__spaces *self, const agpu__summary *caller,
                     MlirOperation call) {
  MlirOperation callee = agpu__callee_of(self->summaries, call);
  size_t number = mlirOperationIsNull(callee)
                      ? AGPU__MAP_NONE
                      : agpu__map_get(&self->numbers, callee.ptr);
  if (number == AGPU__MAP_NONE)
    return false;
  bool news = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i) {
    MlirValue value = mlirOperationGetOperand(call, i);
    if (!agpu__is_memref(value))
      continue;
    agpu__place_in_memory place =
        agpu__place_of_memref(&caller->objects, value);
    bool is_flow = caller->objects.data[place.member].kind == AGPU__OBJECT_FLOW;
    unsigned space = is_flow
                         ? agpu__space_of(self, caller, place.object)
                         : agpu__space_of_member(self, caller, place.member);
    news |= (space & ~self->of[number][i]) != 0;
    self->of[number][i] |= space;
    if (!agpu__object_is_private(&caller->objects, place.object))
      self->together[number][i] = true;
    for (intptr_t k = 0; k < i; ++k) {
      MlirValue other = mlirOperationGetOperand(call, k);
      if (!agpu__is_memref(other) ||
          !agpu__members_may_meet(
              &caller->objects, place.member,
              agpu__place_of_memref(&caller->objects, other).member))
        continue;
      self->together[number][i] = self->together[number][k] = true;
    }
  }
  return news;
}

/// Adds what a function returns. True if that is news.
static bool add_returns(agpu__spaces *self, size_t number,
                        MlirOperation function) {
  const agpu__summary *summary = agpu__summary_of(self->summaries, function);
  bool news = false;
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(function, 0)) {
    MlirOperation end = mlirBlockGetTerminator(block);
    for (intptr_t i = 0;
         agpu__op_is(end, "func.return") && i < result_count(function); ++i) {
      MlirValue value = mlirOperationGetOperand(end, i);
      if (!agpu__is_memref(value))
        continue;
      unsigned space = agpu__space_of(
          self, summary,
          agpu__place_of_memref(&summary->objects, value).object);
      news |= (space & ~self->results[number][i]) != 0;
      self->results[number][i] |= space;
    }
  }
  return news;
}

static bool is_called_from_outside(MlirOperation function) {
  MlirAttribute visibility = agpu__attr(function, "sym_visibility");
  return mlirAttributeIsNull(visibility) ||
         mlirStringRefEqual(mlirStringAttrGetValue(visibility),
                            agpu__str("public"));
}

/// Marks arguments that all calls give memory of their own.
static void mark(const agpu__spaces *self, size_t number,
                 MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  MlirAttribute before = agpu__attr(function, "arg_attrs");
  intptr_t count = argument_count(function);
  AGPU__OWNED MlirAttribute *all =
      agpu__allocate((size_t)count + 1, sizeof(*all));
  bool any = false;
  for (intptr_t i = 0; i < count; ++i) {
    all[i] = mlirAttributeIsNull(before)
                 ? mlirDictionaryAttrGet(context, 0, NULL)
                 : mlirArrayAttrGetElement(before, i);
    MlirValue value = mlirBlockGetArgument(agpu__entry_block(function), i);
    if (!agpu__is_memref(value) || self->together[number][i] ||
        mlirDictionaryAttrGetNumElements(all[i]))
      continue;
    MlirNamedAttribute apart =
        agpu__named(context, AGPU__NOALIAS_ATTR, mlirUnitAttrGet(context));
    all[i] = mlirDictionaryAttrGet(context, 1, &apart);
    any = true;
  }
  if (any)
    agpu__set_attr(function, "arg_attrs",
                   mlirArrayAttrGet(context, count, all));
}

/// Takes the calls away that do not stand in a function that has been looked
/// at. What their callees are given is not known.
static void leave_out_others(agpu__spaces *self, agpu__ops *calls) {
  size_t kept = 0;
  for (size_t i = 0; i < calls->count; ++i) {
    MlirOperation call = calls->data[i];
    MlirOperation caller = agpu__parent_of(call, "func.func");
    if (!mlirOperationIsNull(caller) &&
        agpu__map_get(&self->numbers, caller.ptr) != AGPU__MAP_NONE) {
      calls->data[kept++] = call;
      continue;
    }
    MlirOperation callee = agpu__callee_of(self->summaries, call);
    size_t number = mlirOperationIsNull(callee)
                        ? AGPU__MAP_NONE
                        : agpu__map_get(&self->numbers, callee.ptr);
    for (intptr_t k = 0;
         number != AGPU__MAP_NONE && k < mlirOperationGetNumOperands(call); ++k)
      self->together[number][k] = true;
  }
  calls->count = kept;
}

static void add_registered(agpu__spaces *self, const agpu__objects *objects,
                           MlirValue memref) {
  size_t object = agpu__place_of_memref(objects, memref).object;
  MlirValue source = agpu__view_source(memref);
  bool is_member = false;
  AGPU__EACH_MEMBER(member, objects, object)
  is_member |= !mlirValueIsNull(objects->data[member].value) &&
               mlirValueEqual(objects->data[member].value, source);
  // What control flow gives is any of them.
  AGPU__EACH_MEMBER(member, objects, object) {
    const agpu__object *it = &objects->data[member];
    const void *key =
        it->kind == AGPU__OBJECT_GLOBAL ? it->symbol.ptr : it->value.ptr;
    if (key && (!is_member || key == source.ptr))
      agpu__map_set(&self->registered, key, 0);
  }
}

/// Memory that the program registers is for the device to reach.
static void find_registered(agpu__spaces *self) {
  AGPU__SCOPED(ops) all = {0};
  agpu__collect(self->summaries->module, "gpu.host_register", &all);
  for (size_t i = 0; i < all.count; ++i) {
    MlirOperation function = agpu__parent_of(all.data[i], "func.func");
    if (!mlirOperationIsNull(function) &&
        agpu__map_get(&self->numbers, function.ptr) != AGPU__MAP_NONE)
      add_registered(self,
                     &agpu__summary_of(self->summaries, function)->objects,
                     mlirOperationGetOperand(all.data[i], 0));
  }
}

/// The number of a function that has been looked at, or AGPU__MAP_NONE.
static size_t number_of(const agpu__spaces *self, MlirOperation function) {
  return mlirOperationIsNull(function)
             ? AGPU__MAP_NONE
             : agpu__map_get(&self->numbers, function.ptr);
}

/// Functions to look at again, and the calls between them: of each function
/// those in it, and those of it, as lists by the number of the call plus one.
typedef struct worklist {
  size_t *waiting, count;
  bool *is_waiting;
  size_t *first_in, *next_in, *first_of, *next_of, *callers, *callees;
} worklist;

static void push(worklist *self, size_t function) {
  if (function == AGPU__MAP_NONE || self->is_waiting[function])
    return;
  self->is_waiting[function] = true;
  self->waiting[self->count++] = function;
}

static worklist worklist_create(const agpu__spaces *self,
                                const agpu__ops *calls) {
  size_t size = sizeof(size_t);
  worklist list = {.waiting = agpu__allocate(self->count, size),
                   .is_waiting = agpu__allocate(self->count, sizeof(bool)),
                   .first_in = agpu__allocate(self->count, size),
                   .next_in = agpu__allocate(calls->count, size),
                   .first_of = agpu__allocate(self->count, size),
                   .next_of = agpu__allocate(calls->count, size),
                   .callers = agpu__allocate(calls->count, size),
                   .callees = agpu__allocate(calls->count, size)};
  for (size_t i = calls->count; i-- > 0;) { // the first of each comes first
    MlirOperation call = calls->data[i];
    size_t caller = number_of(self, agpu__parent_of(call, "func.func"));
    size_t callee = number_of(self, agpu__callee_of(self->summaries, call));
    list.callers[i] = caller;
    list.callees[i] = callee;
    list.next_in[i] = list.first_in[caller];
    list.first_in[caller] = i + 1;
    if (callee == AGPU__MAP_NONE)
      continue;
    list.next_of[i] = list.first_of[callee];
    list.first_of[callee] = i + 1;
  }
  for (size_t i = 0; i < self->count; ++i)
    push(&list, i);
  return list;
}

static void worklist_free(worklist *self) {
  free(self->waiting);
  free(self->is_waiting);
  free(self->first_in);
  free(self->next_in);
  free(self->first_of);
  free(self->next_of);
  free(self->callers);
  free(self->callees);
}

static void follow_calls(agpu__spaces *self, const agpu__ops *functions,
                         const agpu__ops *calls) {
  worklist list = worklist_create(self, calls);
  while (list.count) {
    size_t number = list.waiting[--list.count];
    list.is_waiting[number] = false;
    MlirOperation function = functions->data[number];
    const agpu__summary *summary = agpu__summary_of(self->summaries, function);
    for (size_t c = list.first_in[number]; c; c = list.next_in[c - 1])
      if (add_call(self, summary, calls->data[c - 1]))
        push(&list, list.callees[c - 1]);
    if (add_returns(self, number, function))
      for (size_t c = list.first_of[number]; c; c = list.next_of[c - 1])
        push(&list, list.callers[c - 1]);
  }
  worklist_free(&list);
}

void agpu__spaces_create(agpu__summaries *summaries, const agpu__ops *functions,
                         agpu__spaces *out_spaces) {
  agpu__spaces *self = out_spaces;
  *self = (agpu__spaces){
      .summaries = summaries,
      .of = agpu__allocate(functions->count, sizeof(*self->of)),
      .results = agpu__allocate(functions->count, sizeof(*self->results)),
      .together = agpu__allocate(functions->count, sizeof(*self->together)),
      .count = functions->count};
  AGPU__SCOPED(ops) calls = {0};
  bool has_pointers = false;
  agpu__collect(summaries->module, "func.constant", &calls);
  has_pointers = calls.count;
  calls.count = 0;
  for (size_t i = 0; i < functions->count; ++i) {
    MlirOperation function = functions->data[i];
    size_t count = (size_t)argument_count(function);
    bool outside = has_pointers || is_called_from_outside(function);
    self->of[i] = agpu__allocate(count, sizeof(**self->of));
    self->results[i] =
        agpu__allocate((size_t)result_count(function), sizeof(**self->results));
    self->together[i] = agpu__allocate(count, sizeof(**self->together));
    agpu__map_set(&self->numbers, function.ptr, i);
    for (size_t k = 0; k < count; ++k)
      self->together[i][k] = outside;
  }
  agpu__collect(summaries->module, "func.call", &calls);
  leave_out_others(self, &calls);
  find_registered(self);
  follow_calls(self, functions, &calls);
  // What no call of the module says comes from outside. A public function that
  // the module calls is taken to be called so by all.
  for (size_t i = 0; i < functions->count; ++i) {
    for (intptr_t k = 0; k < argument_count(functions->data[i]); ++k)
      if (!self->of[i][k])
        self->of[i][k] = AGPU__SPACE_HOST;
    for (intptr_t k = 0; k < result_count(functions->data[i]); ++k)
      if (!self->results[i][k])
        self->results[i][k] = AGPU__SPACE_HOST;
  }
  follow_calls(self, functions, &calls);
  for (size_t i = 0; i < functions->count; ++i)
    mark(self, i, functions->data[i]);
}

void agpu__spaces_free(agpu__spaces *spaces) {
  for (size_t i = 0; i < spaces->count; ++i) {
    free(spaces->of[i]);
    free(spaces->results[i]);
    free(spaces->together[i]);
  }
  free(spaces->of);
  free(spaces->results);
  free(spaces->together);
  agpu__map_free(&spaces->numbers);
  agpu__map_free(&spaces->registered);
}
