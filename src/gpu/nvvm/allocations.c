//===- allocations.c - Memory that a kernel asks for ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroup memory becomes a memref.global, private memory a memref.alloca
// where the function begins. What is left allocates in the default or the
// global memory, by malloc. One buffer stands for an allocation however often
// it is run, so that memory that another turn of a loop could still see is
// refused.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

#include "mlir-c/AffineMap.h"

#include <stdlib.h>

typedef enum space { OTHER, WORKGROUP, PRIVATE } space;

/// The memory that values of `type` are in, named or by NVVM's numbers.
static space space_of(MlirType type) {
  MlirAttribute attribute =
      mlirTypeIsAMemRef(type)           ? mlirMemRefTypeGetMemorySpace(type)
      : mlirTypeIsAUnrankedMemRef(type) ? mlirUnrankedMemrefGetMemorySpace(type)
                                        : mlirAttributeGetNull();
  if (mlirAttributeIsNull(attribute))
    return OTHER;
  if (mlirAttributeIsAInteger(attribute)) {
    int64_t number = mlirIntegerAttrGetValueInt(attribute);
    return number == 3 ? WORKGROUP : number == 5 ? PRIVATE : OTHER;
  }
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  return !strcmp(agpu__text_get(&text), "#gpu.address_space<workgroup>")
             ? WORKGROUP
         : !strcmp(agpu__text_get(&text), "#gpu.address_space<private>")
             ? PRIVATE
             : OTHER;
}

//===----------------------------------------------------------------------===//
// What can be placed
//===----------------------------------------------------------------------===//

/// The function around `op`.
static MlirOperation function_of(MlirOperation op) {
  MlirOperation function = op, parent;
  while (parent = mlirOperationGetParentOperation(function),
         !agpu__op_is(parent, "gpu.module"))
    function = parent;
  return function;
}

/// Memory from the stack is there until its scope ends, other memory for as
/// long as someone has it: in a kernel, until that ends, and in a function that
/// it calls for longer.
static MlirOperation scope_of(MlirOperation op) {
  if (agpu__op_is(op, "memref.alloca") || agpu__op_is(op, "llvm.alloca"))
    return agpu__allocation_scope(op);
  MlirOperation function = function_of(op);
  return agpu__has_attr(function, "gpu.kernel")
             ? function
             : mlirOperationGetParentOperation(function);
}

/// Reports memory of which one buffer would stand for several.
static MlirLogicalResult check_handed_on(MlirSymbolTable symbols,
                                         MlirOperation op, const char *kind) {
  MlirOperation user = agpu__handed_over_in(symbols, op, scope_of(op));
  if (mlirOperationIsNull(user))
    return mlirLogicalResultSuccess();
  AGPU__OWNED char *where = agpu__location_text(mlirOperationGetLocation(user));
  return agpu__error(
      mlirOperationGetLocation(op),
      "%s memory that a kernel asks for is one buffer, however often this is "
      "run, and cannot be handed on to where another may be needed (%s): "
      "allocate as many as are needed in front of the loop",
      kind, where);
}

static MlirLogicalResult check(MlirSymbolTable symbols, MlirOperation op,
                               const char *kind) {
  MlirLocation location = mlirOperationGetLocation(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (!agpu__memref_has_static_shape(type) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return agpu__error(
        location,
        "%s memory that a kernel asks for has a constant size and no layout%s",
        kind,
        strcmp(kind, "workgroup")
            ? ""
            : "; gpu.dynamic_shared_memory has the size that a launch gives");
  return check_handed_on(symbols, op, kind);
}

//===----------------------------------------------------------------------===//
// Placing
//===----------------------------------------------------------------------===//

/// A buffer that stands for what `op` allocates.
static void place_in_workgroup(MlirOperation gpu_module,
                               MlirSymbolTable symbols, MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  agpu__builder at = agpu__builder_at_start(agpu__module_body(gpu_module),
                                            mlirOperationGetLocation(op));
  MlirOperation global = agpu__build_memref_global(&at, "agpu_workgroup", type);
  // That gives it a name of its own.
  MlirAttribute name = mlirSymbolTableInsert(symbols, global);
  MlirAttribute alignment = agpu__attr(op, "alignment");
  if (!mlirAttributeIsNull(alignment))
    agpu__set_attr(global, "alignment", alignment);
  at = agpu__builder_before(op);
  agpu__replace_op_by_value(
      op, agpu__build_memref(&at, mlirStringAttrGetValue(name).data, type));
}

static void place_in_private(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirBlock entry = agpu__entry_block(function_of(op));
  agpu__builder at =
      agpu__builder_at_start(entry, mlirOperationGetLocation(op));
  const int32_t none[] = {0, 0};
  MlirNamedAttribute attributes[2];
  size_t count = 0;
  attributes[count++] = agpu__segments(context, none, 2);
  MlirAttribute alignment = agpu__attr(op, "alignment");
  if (!mlirAttributeIsNull(alignment))
    attributes[count++] = agpu__named(context, "alignment", alignment);
  agpu__replace_op_by_value(
      op, agpu__result(agpu__build_op(&at, "memref.alloca", NULL, 0,
                                      mlirValueGetType(agpu__result(op, 0)),
                                      attributes, count),
                       0));
}

/// Memory of constant size has one place for the whole kernel: a scope of
/// nothing else frees nothing, and old versions of PTX have none.
static void inline_scopes(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) scopes = agpu__ops_in(gpu_module, "memref.alloca_scope");
  for (size_t i = scopes.count; i-- > 0;) { // inner ones first
    bool is_fixed = true;
    AGPU__OPS_IN_FOREACH (nested, scopes.data[i], "memref.alloca")
      is_fixed &= mlirOperationGetNumOperands(nested) == 0;
    if (is_fixed)
      agpu__inline_scope(scopes.data[i]);
  }
}

MlirLogicalResult agpu__place_allocations(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  AGPU__SCOPED(ops) ops = agpu__ops_in(gpu_module, "memref.dealloc");
  for (size_t i = 0; i < ops.count; ++i)
    if (space_of(mlirValueGetType(mlirOperationGetOperand(ops.data[i], 0))) !=
        OTHER)
      mlirOperationDestroy(ops.data[i]);
  ops.count = 0;
  agpu__collect(gpu_module, "memref.alloc", &ops);
  size_t allocs = ops.count;
  agpu__collect(gpu_module, "memref.alloca", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    space where = space_of(mlirValueGetType(agpu__result(op, 0)));
    if (where == OTHER || (where == PRIVATE && i >= allocs)) {
      // Both targets have one place for it, at the start of the function.
      if (i >= allocs && mlirOperationGetNumOperands(op) == 0 &&
          mlirLogicalResultIsFailure(check_handed_on(symbols, op, "private")))
        result = mlirLogicalResultFailure();
      continue;
    }
    if (mlirLogicalResultIsFailure(
            check(symbols, op, where == WORKGROUP ? "workgroup" : "private")))
      result = mlirLogicalResultFailure();
    else if (where == WORKGROUP)
      place_in_workgroup(gpu_module, symbols, op);
    else
      place_in_private(op);
  }
  mlirSymbolTableDestroy(symbols);
  inline_scopes(gpu_module);
  return result;
}
