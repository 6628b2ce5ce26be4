//===- frame_memory.c - Stack memory of async functions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory on the stack does not outlive a suspension unless it stands in the
// entry block of the coroutine, where LLVM makes it part of the frame. So
// allocations of static size move there, where one buffer does for all that an
// allocation gives; one of dynamic size has no place in a frame. Scopes of
// memory on the stack then free nothing, and go. In other functions they give
// the stack back as it was.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "mlir-c/Dialect/LLVM.h"

#include <limits.h>
#include <stdlib.h>

static MlirLogicalResult hoist(MlirSymbolTable symbols, MlirBlock entry,
                               MlirOperation alloca) {
  MlirValue memref = agpu__result(alloca, 0);
  MlirType type = mlirValueGetType(memref);
  MlirLocation location = mlirOperationGetLocation(alloca);
  MlirType element = agpu__payload_type(mlirShapedTypeGetElementType(type));
  if (!mlirShapedTypeHasStaticShape(type) ||
      mlirOperationGetNumOperands(alloca) > 0)
    return agpu__error(location,
                       "memref.alloca of dynamic size in an async region or "
                       "function: its memory must be part of the coroutine's "
                       "frame; use memref.alloc and memref.dealloc");
  if (mlirTypeIsNull(element) || mlirTypeIsNull(agpu__payload_type(type)) ||
      !agpu__memref_is_contiguous(type))
    return agpu__error(location,
                       "memref.alloca in an async region or function needs an "
                       "element type that LLVM has, the identity layout, and "
                       "the default or a numbered memory space");
  MlirOperation user =
      agpu__handed_over_in(symbols, alloca, agpu__allocation_scope(alloca));
  if (!mlirOperationIsNull(user)) {
    AGPU__OWNED char *where =
        agpu__location_text(mlirOperationGetLocation(user));
    return agpu__error(
        location,
        "memref.alloca in a loop that is no allocation scope (scf.while, or "
        "blocks) gives each round another buffer, of which a coroutine's frame "
        "has one, and it is handed on (%s): use memref.alloc and "
        "memref.dealloc",
        where);
  }
  int64_t count = 1;
  for (intptr_t i = 0;
       i < (intptr_t)mlirShapedTypeGetRank(type) && count <= UINT_MAX; ++i)
    count *= mlirShapedTypeGetDimSize(type, i);
  if (count > UINT_MAX) // what an array of LLVM may have here
    return agpu__error(location,
                       "memref.alloca of more elements than a coroutine's "
                       "frame can have: use memref.alloc and memref.dealloc");

  agpu__builder at = agpu__builder_at_start(entry, location);
  MlirValue one = agpu__llvm_i64(&at, 1);
  MlirNamedAttribute attributes[2] = {agpu__named(
      at.context, "elem_type",
      mlirTypeAttrGet(mlirLLVMArrayTypeGet(element, (unsigned)count)))};
  size_t attribute_count = 1;
  if (agpu__has_attr(alloca, "alignment"))
    attributes[attribute_count++] =
        agpu__named(at.context, "alignment", agpu__attr(alloca, "alignment"));
  MlirValue memory = agpu__result(agpu__build_op(&at, "llvm.alloca", &one, 1,
                                                 agpu__ptr_type(at.context),
                                                 attributes, attribute_count),
                                  0);
  at = agpu__builder_before(alloca);
  AGPU__SCOPED(memref_shape) shape = agpu__memref_shape_create(&at, type, NULL);
  mlirValueReplaceAllUsesOfWith(memref, agpu__memref_make(&at, &shape, memory));
  mlirOperationDestroy(alloca);
  return mlirLogicalResultSuccess();
}

void agpu__inline_stack_scopes(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (scope, function, "memref.alloca_scope") {
    agpu__builder at = agpu__builder_before(scope);
    MlirValue stack = agpu__build_value(&at, "llvm.intr.stacksave", NULL, 0,
                                        agpu__ptr_type(at.context));
    at = agpu__builder_before(mlirBlockGetTerminator(agpu__entry_block(scope)));
    agpu__build_effect(&at, "llvm.intr.stackrestore", &stack, 1);
    agpu__inline_scope(scope);
  }
}

MlirLogicalResult agpu__hoist_allocas(MlirSymbolTable symbols,
                                      MlirOperation async_function) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirBlock entry = agpu__entry_block(async_function);
  AGPU__OPS_IN_FOREACH (nested, async_function, "memref.alloca")
    if (mlirLogicalResultIsFailure(hoist(symbols, entry, nested)))
      result = mlirLogicalResultFailure();
  AGPU__SCOPED(ops)
  scopes = agpu__ops_in(async_function, "memref.alloca_scope");
  if (mlirLogicalResultIsSuccess(result))
    for (size_t i = 0; i < scopes.count; ++i)
      agpu__inline_scope(scopes.data[i]);
  return result;
}

MlirOperation agpu__gather_allocas(MlirBlock block) {
  MlirOperation last = {NULL};
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!agpu__op_is(op, "llvm.alloca"))
      continue;
    MlirOperation size = mlirOpResultGetOwner(mlirOperationGetOperand(op, 0));
    MlirOperation first = mlirBlockGetFirstOperation(block);
    if (mlirOperationIsNull(last))
      last = op;
    if (!mlirOperationEqual(op, first) && !mlirOperationEqual(size, first)) {
      mlirOperationMoveBefore(op, first);
      mlirOperationMoveBefore(size, op);
    }
  }
  return last;
}
