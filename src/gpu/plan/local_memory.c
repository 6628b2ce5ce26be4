//===- local_memory.c - Memory that the device cannot reach -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory from memref.alloc and memref.alloca is local to its body as long as
// its address goes nowhere: every use of it, and of every view of it, is in the
// tables below. Device work cannot know such memory, so neither can reading or
// writing it tell whether device work has completed.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/local_memory.h"

#include "gpu/plan/bodies.h"
#include "gpu/plan/effects.h"
#include "lower/ir/map.h"
#include "lower/ir/symbols.h"

// Results are other names of the same memory: they are followed.
static const char *const views[] = {
    "memref.assume_alignment",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.extract_strided_metadata",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.transpose",
    "memref.view",
};

typedef struct access_row {
  const char *name;
  /// Operands through which memory is accessed, as bits. A memref in another
  /// operand (one that is stored in memory) has gone elsewhere.
  unsigned operands;
} access_row;

// These use the memory and keep no address.
static const access_row accesses[] = {
    // One element.
    {"memref.load", 1u << 0},
    {"memref.store", 1u << 1},
    {"affine.load", 1u << 0},
    {"affine.store", 1u << 1},
    {"memref.atomic_rmw", 1u << 1},
    {"memref.generic_atomic_rmw", 1u << 0},
    {"memref.prefetch", 1u << 0},
    // Several.
    {"vector.load", 1u << 0},
    {"vector.store", 1u << 1},
    {"vector.maskedload", 1u << 0},
    {"vector.maskedstore", 1u << 0},
    {"vector.gather", 1u << 0},
    {"vector.scatter", 1u << 0},
    {"vector.expandload", 1u << 0},
    {"vector.compressstore", 1u << 0},
    {"vector.transfer_read", 1u << 0},
    {"vector.transfer_write", 1u << 1},
    {"affine.vector_load", 1u << 0},
    {"affine.vector_store", 1u << 1},
    // All of it. A copy with a side that is not local stays an observer.
    {"memref.copy", 1u << 0 | 1u << 1},
    {"memref.dealloc", 1u << 0},
    // Its shape.
    {"memref.dim", 1u << 0},
    {"memref.rank", 1u << 0},
};

static bool is_view(MlirOperation op) { return AGPU__OP_IS_ANY(op, views); }

static unsigned accessed_operands(MlirOperation op) {
  for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); ++i)
    if (agpu__op_is(op, accesses[i].name))
      return accesses[i].operands;
  return 0;
}

static bool is_memref(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
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
      } else if (is_view(user)) {
        for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
          if (is_memref(agpu__result(user, r)))
            agpu__values_push(local, agpu__result(user, r));
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
  agpu__ops allocations = {0}, users = {0};
  agpu__values local = {0};
  agpu__collect(module, "memref.alloca", &allocations);
  agpu__collect(module, "memref.alloc", &allocations);
  for (size_t i = 0; i < allocations.count; ++i)
    follow(allocations.data[i], &local, &users);
  agpu__map names = {0};
  for (size_t i = 0; i < local.count; ++i)
    agpu__map_set(&names, local.data[i].ptr, i);
  for (size_t i = 0; i < users.count; ++i)
    if (is_local(users.data[i], &names))
      mark(users.data[i], false, known);
  agpu__map_free(&names);
  agpu__values_free(&local);
  agpu__ops_free(&users);
  agpu__ops_free(&allocations);
}

/// The symbol that `call` calls, or an empty reference.
static MlirStringRef callee_of(MlirOperation call) {
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return (MlirStringRef){NULL, 0};
  return mlirFlatSymbolRefAttrGetValue(callee);
}

static void mark_calls(MlirOperation module, agpu__effects *known) {
  agpu__ops functions = {0}, calls = {0};
  MlirBlock body = agpu__module_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
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
  agpu__ops_free(&calls);
  agpu__ops_free(&functions);
}

void agpu__find_effects(MlirOperation module, agpu__effects *out_known) {
  *out_known = (agpu__effects){0};
  mark_calls(module, out_known);
  mark_local(module, out_known);
}
