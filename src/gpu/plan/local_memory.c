//===- local_memory.c - Memory that the device cannot reach -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory from memref.alloc and memref.alloca is local to its body as long as
// its address goes nowhere: every use of it, and of every view of it, is of
// a kind below. Device work cannot know such memory, so neither can reading or
// writing it tell whether device work has completed.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

/// Operands through which host code accesses memory, or looks at its
/// descriptor, as bits. A memref in another operand (one that is stored in
/// memory) has gone elsewhere. What is enqueued is the device's.
static unsigned accessed_operands(MlirOperation op) {
  agpu__op_memory memory = agpu__memory_of_op(op);
  if (agpu__op_in_dialect(op, "gpu"))
    return 0;
  // A memref.reshape reads the shape.
  if (memory.class == AGPU__OP_ACCESSES || memory.class == AGPU__OP_VIEW)
    return memory.reads | memory.writes;
  return memory.class == AGPU__OP_PURE && agpu__only_accesses(op, 0);
}

/// Appends the names of the memory that `allocation` makes to `local`, and its
/// accesses to `users`, if it is local.
static void follow(MlirOperation allocation, agpu__values *local,
                   agpu__ops *users) {
  MlirOperation body = agpu__body_of(allocation);
  size_t first = local->count, first_user = users->count;
  bool escapes = mlirOperationIsNull(body);
  agpu__values_push(local, agpu__result(allocation, 0));
  for (size_t i = first; i < local->count && !escapes; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(local->data[i]);
         !mlirOpOperandIsNull(use) && !escapes;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      unsigned number = mlirOpOperandGetOperandNumber(use);
      if (!mlirOperationEqual(agpu__body_of(user), body)) {
        escapes = true;
      } else if (agpu__push_views(local, user, number)) {
        continue;
      } else if (number < 32 && accessed_operands(user) >> number & 1u) {
        agpu__ops_push(users, user);
      } else {
        escapes = true;
      }
    }
  if (escapes) {
    local->count = first;
    users->count = first_user;
  }
}

//===----------------------------------------------------------------------===//
// Memory of the stack
//===----------------------------------------------------------------------===//

// The device may still use memory of the stack when that is given back: at the
// end of a memref.alloca_scope, and of a region, whose frame goes with it. The
// ends observe. A function waits at its end in any case, and so does a function
// that is called, unless it returns what says when its work is over.

/// True if device work may get memory that goes by `memory`.
static bool may_reach_device(MlirValue memory) {
  AGPU__SCOPED(values) names = {0};
  agpu__values_push(&names, memory);
  bool found = false;
  for (size_t i = 0; i < names.count && !found; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(names.data[i]);
         !mlirOpOperandIsNull(use) && !found;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      unsigned number = mlirOpOperandGetOperandNumber(use);
      if (agpu__push_views(&names, user, number))
        continue;
      if (agpu__op_is(user, "func.call")) {
        found = agpu__is_enqueue_call(user);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r) {
          MlirValue result = agpu__result(user, r);
          if (agpu__is_memref(result))
            agpu__values_push(&names, result);
          found |= agpu__type_is_object(mlirValueGetType(result));
        }
      } else {
        found = number >= 32 || !(accessed_operands(user) >> number & 1u);
      }
    }
  return found;
}

/// Lets the ends of what `allocation`, a memref.alloca, is there for observe.
static void mark_ends(MlirOperation allocation, agpu__effects *known) {
  MlirOperation body = agpu__body_of(allocation), scope = allocation;
  do
    scope = mlirOperationGetParentOperation(scope);
  while (!mlirOperationIsNull(scope) && !mlirOperationEqual(scope, body) &&
         !agpu__op_is(scope, "memref.alloca_scope"));
  if (mlirOperationIsNull(scope) ||
      !may_reach_device(agpu__result(allocation, 0)))
    return;
  AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(scope, 0)) {
    MlirOperation last = mlirBlockGetTerminator(block);
    if (agpu__op_is_any(last,
                        "memref.alloca_scope.return async.yield async.return"))
      agpu__map_set(&known->observes, last.ptr, true);
  }
}

//===----------------------------------------------------------------------===//
// What observes
//===----------------------------------------------------------------------===//

/// True if all memory that `op` accesses is local.
static bool is_local(MlirOperation op, const agpu__map *local) {
  unsigned operands = accessed_operands(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 32; ++i)
    if (operands >> i & 1u &&
        agpu__map_get(local, mlirOperationGetOperand(op, i).ptr) ==
            AGPU__MAP_NONE)
      return false;
  return true;
}

/// What the op says itself, and what its callee says, come first.
static void mark(MlirOperation op, bool observes, agpu__effects *known) {
  if (!agpu__has_attr(op, AGPU__OBSERVES_ATTR) &&
      agpu__map_get(&known->observes, op.ptr) == AGPU__MAP_NONE &&
      (agpu__effect_of(op) == AGPU__EFFECT_OBSERVES ||
       agpu__effect_of(op) == AGPU__EFFECT_NONE))
    agpu__map_set(&known->observes, op.ptr, observes);
}

static void mark_local(MlirOperation module, agpu__effects *known) {
  AGPU__SCOPED(ops) allocations = {0}, users = {0};
  AGPU__SCOPED(values) local = {0};
  agpu__collect(module, "memref.alloca", &allocations);
  for (size_t i = 0; i < allocations.count; ++i)
    mark_ends(allocations.data[i], known);
  agpu__collect(module, "memref.alloc", &allocations);
  for (size_t i = 0; i < allocations.count; ++i)
    follow(allocations.data[i], &local, &users);
  AGPU__SCOPED(map) names = {0};
  for (size_t i = 0; i < local.count; ++i)
    agpu__map_set(&names, local.data[i].ptr, i);
  for (size_t i = 0; i < users.count; ++i)
    if (is_local(users.data[i], &names))
      mark(users.data[i], false, known);
}

/// The symbol that `call` calls, or an empty reference.
static MlirStringRef callee_of(MlirOperation call) {
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return (MlirStringRef){NULL, 0};
  return mlirFlatSymbolRefAttrGetValue(callee);
}

static void mark_calls(MlirOperation module, agpu__effects *known) {
  AGPU__SCOPED(ops) functions = {0}, calls = {0};
  MlirBlock body = agpu__module_body(module);
  AGPU__OPS_FOREACH (op, body)
    if (agpu__has_attr(op, AGPU__OBSERVES_ATTR))
      agpu__ops_push(&functions, op);
  if (functions.count)
    agpu__collect(module, "func.call", &calls);
  for (size_t i = 0; i < calls.count; ++i)
    for (size_t n = 0; n < functions.count; ++n) {
      MlirAttribute observes =
          agpu__attr(functions.data[n], AGPU__OBSERVES_ATTR);
      if (mlirAttributeIsABool(observes) &&
          mlirStringRefEqual(callee_of(calls.data[i]),
                             agpu__get_string(functions.data[n], "sym_name")))
        mark(calls.data[i], mlirBoolAttrGetValue(observes), known);
    }
}

void agpu__find_effects(MlirOperation module, agpu__effects *out_known) {
  *out_known = (agpu__effects){0};
  mark_calls(module, out_known);
  mark_local(module, out_known);
}
