//===- allocation_scope.c - How often memory is allocated -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that makes one buffer of an allocation asks here: what moves to the
// frame of a coroutine, to the start of a parallel loop's function, or to that
// of a kernel, whose back ends (LLVM's for NVPTX too) know no other place.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// How often
//===----------------------------------------------------------------------===//

MlirOperation agpu__allocation_scope(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !agpu__op_has(op, AGPU__OP_SCOPE));
  return op;
}

/// True if control can come from the end of `start` back to its beginning.
static bool is_in_circle(MlirBlock start) {
  if (mlirBlockIsNull(mlirBlockGetNextInRegion(start)) &&
      !mlirBlockGetNumSuccessors(start))
    return false;
  AGPU__SCOPED(map) reached = {0};
  return agpu__reach(start, start, &reached);
}

/// True if `op` runs once, at most, each time that a region of `scope` does.
static bool runs_once_in(MlirOperation op, MlirOperation scope) {
  for (;;) {
    if (is_in_circle(mlirOperationGetBlock(op)))
      return false;
    op = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(op) || mlirOperationEqual(op, scope))
      return true;
    if (!agpu__op_has(op, AGPU__OP_ONCE))
      return false;
  }
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// All values that the memory goes by, each once.
typedef struct names {
  agpu__values all;
  agpu__map known;
  MlirSymbolTable symbols; ///< of the module around
} names;

static void add_name(names *self, MlirValue value) {
  if (agpu__map_get(&self->known, value.ptr) != AGPU__MAP_NONE)
    return;
  agpu__map_set(&self->known, value.ptr, self->all.count);
  agpu__values_push(&self->all, value);
}

static bool has_plain_results(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!agpu__is_plain_type(mlirValueGetType(agpu__result(op, i))))
      return false;
  return true;
}

/// Appends what a call's callee gets as operand `number`; false where it may
/// keep that.
static bool hand_to_callee(MlirOperation call, intptr_t number, names *self) {
  MlirAttribute callee = agpu__attr(call, "callee");
  if (!has_plain_results(call) || mlirAttributeIsNull(callee) ||
      !mlirAttributeIsAFlatSymbolRef(callee))
    return false;
  MlirOperation function = agpu__find_callee(self->symbols, call);
  if (mlirOperationIsNull(function) || agpu__is_declaration(function))
    return agpu__is_print_function(mlirFlatSymbolRefAttrGetValue(callee));
  MlirBlock entry = agpu__entry_block(function);
  if (number >= mlirBlockGetNumArguments(entry))
    return false;
  add_name(self, mlirBlockGetArgument(entry, number));
  return true;
}

/// True if `user` runs beside what is around `name`, in a region of its own.
static bool is_spawned(MlirOperation user, MlirValue name) {
  MlirBlock block = mlirValueIsABlockArgument(name)
                        ? mlirBlockArgumentGetOwner(name)
                        : mlirOperationGetBlock(mlirOpResultGetOwner(name));
  MlirOperation around = mlirBlockGetParentOperation(block);
  for (MlirOperation op = mlirOperationGetParentOperation(user);
       !mlirOperationIsNull(op) && !mlirOperationEqual(op, around);
       op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "async.execute"))
      return true;
  return false;
}

/// False where `user` may hand operand `number`, a name, on to where it
/// is not followed.
static bool follow(MlirOperation user, intptr_t number, names *self) {
  // The op's results are what its operands are: views, and choices.
  if (agpu__is_view(user) || agpu__op_has(user, AGPU__OP_GIVES)) {
    for (intptr_t i = 0; i < mlirOperationGetNumResults(user); ++i)
      if (!agpu__is_plain_type(mlirValueGetType(agpu__result(user, i))))
        add_name(self, agpu__result(user, i));
    return true;
  }
  if (agpu__only_accesses(user, number))
    return true;
  switch (agpu__memory_of_op(user).class) {
  case AGPU__OP_CALL: return hand_to_callee(user, number, self);
  case AGPU__OP_LAUNCH: return true; // a kernel keeps no address
  case AGPU__OP_UNKNOWN: break;
  default: return false;
  }
  if (agpu__op_is(user, "llvm.call"))
    return hand_to_callee(user, number, self);
  // What matrices and asynchronous copies of kernels are loaded from.
  if (agpu__op_in_dialect(user, "nvgpu") || agpu__op_in_dialect(user, "nvvm"))
    return true;
  return agpu__op_in_dialect(user, "gpu") && has_plain_results(user);
}

static MlirOperation hand_over(MlirSymbolTable symbols, MlirValue memory) {
  names self = {.symbols = symbols};
  add_name(&self, memory);
  MlirOperation found = {NULL};
  for (size_t i = 0; i < self.all.count && mlirOperationIsNull(found); ++i) {
    MlirValue name = self.all.data[i];
    for (MlirOpOperand use = mlirValueGetFirstUse(name);
         !mlirOpOperandIsNull(use) && mlirOperationIsNull(found);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (is_spawned(user, name) ||
          !follow(user, (intptr_t)mlirOpOperandGetOperandNumber(use), &self))
        found = user;
    }
  }
  agpu__values_free(&self.all);
  agpu__map_free(&self.known);
  return found;
}

MlirOperation agpu__handed_over_in(MlirSymbolTable symbols,
                                   MlirOperation allocation,
                                   MlirOperation scope) {
  return runs_once_in(allocation, scope)
             ? (MlirOperation){NULL}
             : hand_over(symbols, agpu__result(allocation, 0));
}

//===----------------------------------------------------------------------===//
// Scopes that are no longer needed
//===----------------------------------------------------------------------===//

void agpu__inline_scope(MlirOperation scope) {
  MlirBlock block = agpu__entry_block(scope);
  MlirOperation end = mlirBlockGetTerminator(block);
  agpu__builder at = agpu__builder_before(scope);
  agpu__move_ops(&at, mlirBlockGetFirstOperation(block), end);
  AGPU__SCOPED(values) yielded = agpu__operands(end, 0);
  agpu__replace_op(scope, yielded.data);
}
