//===- own_memory.c - Memory that programs look after ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between upstream's deallocation of memory, which is that of
// tensors, and the memrefs that a program has beside them. The ops of a program
// that upstream knows nothing of take memory, and neither allocate nor free it:
// calls stand for them, and go again.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "lower/dialect/attributes.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// Upstream's name for it.
#define BY_HAND "bufferization.manual_deallocation"

static bool is_own(MlirOperation op) {
  return agpu__op_is(op, "memref.alloc") || agpu__op_is(op, "memref.dealloc");
}

static MlirWalkResult find_dealloc(MlirOperation op, void *data) {
  *(bool *)data |= agpu__op_is(op, "memref.dealloc");
  return *(bool *)data ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult mark(MlirOperation op, void *data) {
  (void)data;
  if (is_own(op))
    agpu__set_attr(op, BY_HAND, mlirUnitAttrGet(mlirOperationGetContext(op)));
  return MlirWalkResultAdvance;
}

static MlirWalkResult unmark(MlirOperation op, void *data) {
  (void)data;
  if (is_own(op))
    agpu__remove_attr(op, BY_HAND);
  return MlirWalkResultAdvance;
}

MlirLogicalResult agpu__mark_own_memory(MlirOperation module) {
  bool frees = false;
  mlirOperationWalk(module, find_dealloc, &frees, MlirWalkPreOrder);
  if (!frees)
    return mlirLogicalResultSuccess();
  // An allocation whose size turns out to be a constant later is made anew, and
  // has no mark.
  MlirLogicalResult result = agpu__upstream_run(module, "canonicalize");
  mlirOperationWalk(module, mark, NULL, MlirWalkPreOrder);
  return result;
}

void agpu__unmark_own_memory(MlirOperation module) {
  mlirOperationWalk(module, unmark, NULL, MlirWalkPreOrder);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

// A call of "agpu.hidden.N" says which op it stands for, and with what
// attributes.

static MlirAttribute attributes_of(MlirOperation op) {
  size_t count = (size_t)mlirOperationGetNumAttributes(op);
  AGPU__OWNED MlirNamedAttribute *all = agpu__allocate(count, sizeof(*all));
  for (size_t i = 0; i < count; ++i)
    all[i] = mlirOperationGetAttribute(op, (intptr_t)i);
  return mlirDictionaryAttrGet(mlirOperationGetContext(op), (intptr_t)count,
                               all);
}

static MlirType type_of(MlirOperation op) {
  size_t input_count = (size_t)mlirOperationGetNumOperands(op);
  size_t result_count = (size_t)mlirOperationGetNumResults(op);
  AGPU__OWNED MlirType *types =
      agpu__allocate(input_count + result_count, sizeof(*types));
  for (size_t i = 0; i < input_count; ++i)
    types[i] = mlirValueGetType(mlirOperationGetOperand(op, (intptr_t)i));
  for (size_t i = 0; i < result_count; ++i)
    types[input_count + i] = mlirValueGetType(agpu__result(op, (intptr_t)i));
  return mlirFunctionTypeGet(mlirOperationGetContext(op), (intptr_t)input_count,
                             types, (intptr_t)result_count,
                             types + input_count);
}

/// Puts an op of another name and attributes in place of `op`.
static void replace(MlirOperation op, const char *name,
                    const MlirNamedAttribute *attributes,
                    size_t attribute_count) {
  agpu__builder at = agpu__builder_before(op);
  // No attributes are none, and not those that the op has.
  static const MlirNamedAttribute none[1];
  agpu__op_spec spec = {.name = name,
                        .attributes = attribute_count ? attributes : none,
                        .attribute_count = attribute_count};
  agpu__replace_op_by(op, agpu__build_like(&at, op, spec));
}

static void hide(MlirOperation module, MlirOperation op, size_t number) {
  MlirContext context = mlirOperationGetContext(op);
  AGPU__OWNED char *name = agpu__format(AGPU__HIDDEN_ATTR ".%zu", number);
  agpu__builder at = agpu__builder_at_end(agpu__module_body(module),
                                          mlirOperationGetLocation(op));
  agpu__build_function(&at, &(agpu__function_spec){.op = "func.func",
                                                   .name = name,
                                                   .type = type_of(op)});
  const MlirNamedAttribute attributes[] = {
      agpu__named(context, "callee",
                  mlirFlatSymbolRefAttrGet(context, agpu__str(name))),
      agpu__named(context, AGPU__HIDDEN_ATTR,
                  mlirStringAttrGet(context, agpu__op_name(op))),
      agpu__named(context, AGPU__HIDDEN_ATTRIBUTES, attributes_of(op))};
  replace(op, "func.call", attributes, 3);
}

void agpu__hide_messages(MlirOperation module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, NULL);
  for (size_t i = 0; i < ops.count; ++i)
    if (agpu__op_in_dialect(ops.data[i], "mpi"))
      hide(module, ops.data[i], i);
}

static void show(MlirOperation call) {
  MlirAttribute kept = agpu__attr(call, AGPU__HIDDEN_ATTRIBUTES);
  size_t count = mlirAttributeIsNull(kept)
                     ? 0
                     : (size_t)mlirDictionaryAttrGetNumElements(kept);
  AGPU__OWNED MlirNamedAttribute *attributes =
      agpu__allocate(count, sizeof(*attributes));
  for (size_t i = 0; i < count; ++i)
    attributes[i] = mlirDictionaryAttrGetElement(kept, (intptr_t)i);
  // The context keeps strings with a NUL after them.
  replace(call, agpu__get_string(call, AGPU__HIDDEN_ATTR).data, attributes,
          count);
}

void agpu__show_messages(MlirOperation module) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  AGPU__OPS_IN_FOREACH (call, module, "func.call") {
    if (!agpu__has_attr(call, AGPU__HIDDEN_ATTR))
      continue;
    mlirSymbolTableErase(symbols, agpu__find_callee(symbols, call));
    show(call);
  }
  mlirSymbolTableDestroy(symbols);
}
