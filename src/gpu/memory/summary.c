//===- summary.c - What functions and ops read and write -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are looked at when they are first asked for, callees within; one
// that calls itself may do anything. What a callee does to its arguments is
// done to what the caller gives, and what it does to memory of its own is
// nobody's concern.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include "gpu/plan/plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Callees
//===----------------------------------------------------------------------===//

void agpu__summaries_create(MlirOperation module, bool all_noalias, bool follow,
                            agpu__summaries *out_summaries) {
  *out_summaries = (agpu__summaries){.module = module,
                                     .symbols = mlirSymbolTableCreate(module),
                                     .all_noalias = all_noalias,
                                     .follow = follow};
}

void agpu__summaries_free(agpu__summaries *summaries) {
  for (size_t i = 0; i < summaries->count; ++i) {
    agpu__objects_free(&summaries->data[i]->objects);
    agpu__accesses_free(&summaries->data[i]->accesses);
    agpu__origins_free(&summaries->data[i]->origins);
    free(summaries->data[i]);
  }
  for (size_t i = 0; i < summaries->table_count; ++i)
    mlirSymbolTableDestroy(summaries->tables[i]);
  mlirSymbolTableDestroy(summaries->symbols);
  free(summaries->tables);
  free(summaries->data);
  agpu__map_free(&summaries->numbers);
  agpu__map_free(&summaries->modules);
}

bool agpu__call_prints(agpu__summaries *summaries, MlirOperation call) {
  MlirAttribute callee = agpu__op_is(call, "func.call")
                             ? agpu__attr(call, "callee")
                             : mlirAttributeGetNull();
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee) ||
      agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  return agpu__is_print_function(name) &&
         mlirOperationIsNull(agpu__callee_of(summaries, call));
}

/// The first operand that is an argument of the callee, and how many there are.
static intptr_t first_argument(MlirOperation call, intptr_t *out_count) {
  intptr_t count = mlirOperationGetNumOperands(call), first = 0;
  if (agpu__op_is(call, "gpu.launch_func")) {
    for (intptr_t i = 0; i < AGPU__LAUNCH_ARGUMENTS; ++i)
      first += agpu__segment(call, i);
    count = agpu__segment(call, AGPU__LAUNCH_ARGUMENTS);
  }
  *out_count = count;
  return first;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// An op, and for whom it is looked at.
typedef struct context {
  agpu__summaries *summaries;
  const agpu__objects *objects;
  agpu__op_effects *out;
  bool may_not_run; ///< it stands in control flow
} context;

static void touch(const context *self, size_t object, bool reads, bool writes) {
  agpu__accesses_add(&self->out->accesses, (agpu__access){.object = object,
                                                          .box = AGPU__WHOLE,
                                                          .reads = reads,
                                                          .writes = writes});
}

static void touch_memref(const context *self, MlirValue memref, bool reads,
                         bool writes, bool covers) {
  if (!reads && !writes)
    return;
  agpu__place_in_memory place = agpu__place_of_memref(self->objects, memref);
  // A part may have holes, so that only the whole is known to be covered.
  agpu__accesses_add(&self->out->accesses,
                     (agpu__access){.object = place.object,
                                    .box = place.box,
                                    .reads = reads,
                                    .writes = writes,
                                    .covers = writes && covers &&
                                              place.is_identity &&
                                              !self->may_not_run});
}

/// The same of any operand: what a pointer leads to is not followed.
static void touch_operand(const context *self, MlirValue operand, bool reads,
                          bool writes, bool covers) {
  if (agpu__is_memref(operand))
    touch_memref(self, operand, reads, writes, covers);
  else if (reads || writes)
    touch(self, AGPU__ELSEWHERE, reads, writes);
}

/// Whatever can be reached may be read, written and seen.
static void add_unknown(const context *self, MlirOperation op) {
  touch(self, AGPU__WORLD, true, true);
  touch(self, AGPU__ELSEWHERE, true, true);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (agpu__is_memref(mlirOperationGetOperand(op, i)))
      touch_memref(self, mlirOperationGetOperand(op, i), true, true, false);
  self->out->cost = self->out->device_cost = AGPU__MANY_OPS;
}

/// A global that a callee names, in the caller's terms: kernels have their own.
static size_t find_global(const agpu__objects *objects, MlirAttribute symbol) {
  for (size_t i = 0; i < objects->count; ++i)
    if (objects->data[i].kind == AGPU__OBJECT_GLOBAL &&
        mlirAttributeEqual(objects->data[i].symbol, symbol))
      return i;
  return AGPU__ELSEWHERE;
}

/// The callee's access of an argument, in the caller's terms.
static void add_argument_access(const context *self, MlirValue given,
                                const agpu__access *access) {
  agpu__place_in_memory place = agpu__place_of_memref(self->objects, given);
  agpu__access own = *access;
  own.object = place.object;
  own.box = place.box;
  own.covers = access->covers && place.is_identity && access->box.rank < 0 &&
               !self->may_not_run;
  if (place.is_identity && access->box.rank >= 0 &&
      access->box.rank == mlirShapedTypeGetRank(mlirValueGetType(given))) {
    own.box = access->box;
    for (int i = 0; place.box.rank >= 0 && i < own.box.rank; ++i) {
      own.box.low[i] += place.box.low[i];
      own.box.high[i] += place.box.low[i];
    }
  }
  agpu__accesses_add(&self->out->accesses, own);
}

/// What the callee does to one object of its own, in the caller's terms.
static void add_callee_access(const context *self, MlirOperation call,
                              const agpu__object *object,
                              const agpu__launch_ranges *ranges,
                              agpu__access access) {
  bool launches = agpu__op_is(call, "gpu.launch_func");
  intptr_t count, first = first_argument(call, &count);
  switch (object->kind) {
  case AGPU__OBJECT_WORLD:
    touch(self, AGPU__WORLD, access.reads, access.writes);
    break;
  case AGPU__OBJECT_ELSEWHERE:
    touch(self, AGPU__ELSEWHERE, access.reads, access.writes);
    break;
  case AGPU__OBJECT_RESULT:
    if (!object->noalias)
      touch(self, AGPU__ELSEWHERE, access.reads, access.writes);
    break;
  case AGPU__OBJECT_GLOBAL:
    touch(self,
          launches ? AGPU__ELSEWHERE
                   : find_global(self->objects, object->symbol),
          access.reads, access.writes);
    break;
  case AGPU__OBJECT_ARGUMENT: {
    // Of a kernel's argument one box is known, for all its accesses.
    const agpu__box *box = agpu__launch_range(ranges, object->argument);
    if (box)
      access.box = *box;
    add_argument_access(
        self, mlirOperationGetOperand(call, first + (intptr_t)object->argument),
        &access);
    break;
  }
  case AGPU__OBJECT_ALLOCATION:
  case AGPU__OBJECT_FLOW: break;
  }
}

static void add_call(const context *self, MlirOperation call) {
  bool launches = agpu__op_is(call, "gpu.launch_func");
  MlirOperation callee = agpu__callee_of(self->summaries, call);
  const agpu__summary *of =
      mlirOperationIsNull(callee) || agpu__has_attr(call, AGPU__ENQUEUE_ATTR)
          ? NULL
          : agpu__summary_of(self->summaries, callee);
  self->out->uses_device |=
      launches || !of || of->uses_device || of->in_progress;
  if (agpu__call_prints(self->summaries, call)) {
    self->out->uses_device = false;
    touch(self, AGPU__WORLD, true, true);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); ++i)
      if (agpu__is_memref(mlirOperationGetOperand(call, i)))
        touch_memref(self, mlirOperationGetOperand(call, i), true, false,
                     false);
    self->out->cost = agpu__cost_plus(self->out->cost, AGPU__CALL_OPS);
    return;
  }
  if (!of || !of->is_known) {
    add_unknown(self, call);
    return;
  }
  AGPU__SCOPED(launch_ranges) ranges = {0};
  if (launches)
    agpu__launch_ranges_create(call, callee, &of->objects, &ranges);
  for (size_t i = 0; i < of->accesses.count; ++i) {
    agpu__access access = of->accesses.data[i];
    if (access.object == AGPU__WORLD)
      touch(self, AGPU__WORLD, access.reads, access.writes);
    access.covers &= !of->objects.data[access.object].next;
    AGPU__EACH_MEMBER(member, &of->objects, access.object)
    add_callee_access(self, call, &of->objects.data[member], &ranges, access);
  }
  if (launches) {
    self->out->cost = agpu__cost_plus(self->out->cost, AGPU__CALL_OPS);
    self->out->device_cost =
        agpu__cost_plus(self->out->device_cost,
                        agpu__cost_times(of->cost, agpu__cost_threads(call)));
  } else {
    self->out->cost = agpu__cost_plus(self->out->cost, of->cost);
    self->out->device_cost =
        agpu__cost_plus(self->out->device_cost, of->device_cost);
  }
}

static void add_linalg(const context *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(operand))
      continue;
    bool reads, writes, covers;
    agpu__linalg_use(op, i, &reads, &writes, &covers);
    touch_memref(self, operand, reads, writes, covers);
  }
  self->out->cost = agpu__cost_plus(self->out->cost, agpu__cost_of_linalg(op));
}

static void add_op(const context *self, MlirOperation op);

static void add_regions(const context *self, MlirOperation op) {
  agpu__op_effects *out = self->out;
  int64_t before = out->cost, device_before = out->device_cost;
  out->cost = out->device_cost = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, i))
      AGPU__OPS_FOREACH (inner, block)
        add_op(self, inner);
  if (agpu__op_is(op, "gpu.launch")) {
    out->device_cost = agpu__cost_times(out->cost, agpu__cost_threads(op));
    out->cost = AGPU__CALL_OPS;
  }
  int64_t trips = agpu__cost_trips(op);
  out->cost = agpu__cost_plus(before, agpu__cost_times(out->cost, trips));
  out->device_cost =
      agpu__cost_plus(device_before, agpu__cost_times(out->device_cost, trips));
}

/// A copy, a fill, or memory that is freed.
static void add_covering(const context *self, MlirOperation op) {
  agpu__op_effects *out = self->out;
  int64_t cost =
      agpu__op_has(op, AGPU__OP_RELEASES) ? 0 : agpu__cost_of_copy(op);
  if (agpu__op_in_dialect(op, "gpu")) {
    out->device_cost = agpu__cost_plus(out->device_cost, cost);
    cost = 0;
  }
  out->cost = agpu__cost_plus(out->cost, cost + AGPU__CALL_OPS);
}

static void add_op(const context *self, MlirOperation op) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  agpu__op_effects *out = self->out;
  out->cost = agpu__cost_plus(out->cost, 1);
  out->uses_device |= agpu__op_in_dialect(op, "gpu");
  switch (memory.class) {
  case AGPU__OP_PURE:
  case AGPU__OP_ALLOCATES:
  case AGPU__OP_GLOBAL: break;
  case AGPU__OP_VIEW:
  case AGPU__OP_ACCESSES:
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 32; ++i)
      touch_operand(self, mlirOperationGetOperand(op, i), memory.reads >> i & 1,
                    memory.writes >> i & 1, memory.covers);
    if (memory.covers)
      add_covering(self, op);
    if (agpu__op_has(op, AGPU__OP_MESSAGES))
      out->cost = AGPU__MANY_OPS;
    break;
  case AGPU__OP_LINALG: add_linalg(self, op); break;
  case AGPU__OP_OUTSIDE:
    touch(self, AGPU__WORLD, true, true);
    out->cost = agpu__cost_plus(out->cost, AGPU__CALL_OPS);
    break;
  case AGPU__OP_CALL:
  case AGPU__OP_LAUNCH: add_call(self, op); break;
  case AGPU__OP_UNKNOWN: add_unknown(self, op); break;
  case AGPU__OP_STRUCTURE: break;
  }
  // What stands in an op of linalg is counted with it.
  int64_t cost = out->cost;
  if (mlirOperationGetNumRegions(op)) {
    context inside = *self;
    inside.may_not_run = true;
    add_regions(&inside, op);
  }
  if (memory.class == AGPU__OP_LINALG)
    out->cost = cost;
}

void agpu__add_op_effects(agpu__summaries *summaries,
                          const agpu__objects *objects, MlirOperation op,
                          agpu__op_effects *out_effects) {
  context self = {summaries, objects, out_effects, false};
  add_op(&self, op);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// For objects.c. A result may be what was given.
static bool call_captures(MlirOperation call, intptr_t number, void *data) {
  agpu__summaries *self = data;
  if (agpu__call_prints(self, call))
    return false;
  MlirOperation callee = agpu__callee_of(self, call);
  intptr_t count, first = first_argument(call, &count);
  if (mlirOperationIsNull(callee) || agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    // A kernel whose code is not here has no place to keep an address in but
    // memory, which is known to nobody who would follow it.
    return !agpu__op_is(call, "gpu.launch_func");
  const agpu__summary *of = agpu__summary_of(self, callee);
  if (!of->is_known || number < first)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); ++i)
    if (!agpu__is_plain_type(mlirValueGetType(agpu__result(call, i))) &&
        !of->origins.data[i].own &&
        !(self->follow && of->origins.data[i].is_given))
      return true;
  for (size_t i = 0; i < of->objects.count; ++i)
    if (of->objects.data[i].kind == AGPU__OBJECT_ARGUMENT &&
        of->objects.data[i].argument == (size_t)(number - first))
      return of->objects.data[of->objects.data[i].leader].escapes;
  return true;
}

bool agpu__call_writes(agpu__summaries *summaries, MlirOperation call,
                       intptr_t number) {
  if (agpu__call_prints(summaries, call))
    return false;
  MlirOperation callee = agpu__callee_of(summaries, call);
  intptr_t count, first = first_argument(call, &count);
  if (mlirOperationIsNull(callee) || agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    return true;
  const agpu__summary *of = agpu__summary_of(summaries, callee);
  if (!of->is_known || number < first)
    return true;
  for (size_t i = 0; i < of->accesses.count; ++i) {
    const agpu__access *access = &of->accesses.data[i];
    AGPU__EACH_MEMBER(member, &of->objects, access->object) {
      const agpu__object *it = &of->objects.data[member];
      if (access->writes && (it->kind == AGPU__OBJECT_ELSEWHERE ||
                             (it->kind == AGPU__OBJECT_ARGUMENT &&
                              it->argument == (size_t)(number - first))))
        return true;
    }
  }
  return false;
}

static bool call_is_own(MlirOperation call, intptr_t number, void *data) {
  agpu__summaries *self = data;
  MlirOperation callee = agpu__callee_of(self, call);
  if (mlirOperationIsNull(callee) || agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    return false;
  const agpu__summary *of = agpu__summary_of(self, callee);
  return of->is_known && agpu__owns_result(&of->origins, call, number);
}

static bool call_gives(MlirOperation call, intptr_t result, intptr_t number,
                       void *data) {
  agpu__summaries *self = data;
  MlirOperation callee = agpu__callee_of(self, call);
  if (mlirOperationIsNull(callee) || agpu__has_attr(call, AGPU__ENQUEUE_ATTR))
    return false;
  const agpu__summary *of = agpu__summary_of(self, callee);
  return of->is_known && of->origins.data[result].is_given &&
         of->origins.data[result].arguments[number];
}

static void look_at(agpu__summaries *self, agpu__summary *of) {
  agpu__object_rules rules = {.captures = call_captures,
                              .is_own = call_is_own,
                              .gives = call_gives,
                              .data = self,
                              .all_noalias = self->all_noalias,
                              .follow = self->follow};
  agpu__objects_create(of->function, &rules, &of->objects);
  agpu__origins_create(of->function, &of->objects, &of->origins);
  agpu__op_effects effects = {0};
  MlirBlock entry = agpu__entry_block(of->function);
  context in = {self, &of->objects, &effects,
                !mlirBlockIsNull(mlirBlockGetNextInRegion(entry))};
  add_regions(&in, of->function);
  of->accesses = effects.accesses;
  of->cost = effects.cost;
  of->device_cost = effects.device_cost;
  of->uses_device = effects.uses_device;
  of->in_progress = false;
  of->is_known = true;
}

/// A new summary of a function, which nobody has looked at.
static agpu__summary *create(agpu__summaries *summaries,
                             MlirOperation function) {
  AGPU__GROW(summaries->data, summaries->count, summaries->capacity);
  agpu__summary *self = agpu__allocate(1, sizeof(*self));
  self->function = function;
  self->in_progress = true;
  agpu__map_set(&summaries->numbers, function.ptr, summaries->count);
  summaries->data[summaries->count++] = self;
  return self;
}

/// A function whose callees are looked at first.
typedef struct visit {
  agpu__summary *of;
  agpu__ops calls;
  size_t next;
} visit;

static visit begin_visit(agpu__summaries *self, MlirOperation function) {
  visit begun = {.of = create(self, function),
                 .calls = agpu__ops_in(function, "func.call")};
  agpu__collect(function, "gpu.launch_func", &begun.calls);
  return begun;
}

const agpu__summary *agpu__summary_of(agpu__summaries *summaries,
                                      MlirOperation function) {
  size_t number = agpu__map_get(&summaries->numbers, function.ptr);
  if (number != AGPU__MAP_NONE)
    return summaries->data[number];
  // Chains of calls are as long as a program makes them: no recursion.
  AGPU__OWNED visit *stack = NULL;
  size_t depth = 0, capacity = 0;
  AGPU__GROW(stack, depth, capacity);
  stack[depth++] = begin_visit(summaries, function);
  const agpu__summary *result = stack[0].of;
  while (depth) {
    visit *top = &stack[depth - 1];
    if (top->next == top->calls.count) {
      look_at(summaries, top->of);
      agpu__ops_free(&top->calls);
      --depth;
      continue;
    }
    MlirOperation callee =
        agpu__callee_of(summaries, top->calls.data[top->next++]);
    if (mlirOperationIsNull(callee) ||
        agpu__map_get(&summaries->numbers, callee.ptr) != AGPU__MAP_NONE)
      continue;
    AGPU__GROW(stack, depth, capacity);
    stack[depth++] = begin_visit(summaries, callee);
  }
  return result;
}
