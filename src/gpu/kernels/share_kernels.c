//===- share_kernels.c - One kernel for all that are alike ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-share-kernels`.
//
// The layers of a model are alike, and so are the kernels that are made of
// them: what differs are their arguments. Kernels are compared as text without
// their names and places in the source.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

typedef struct kernels {
  MlirOperation *ops;
  agpu__alike *texts; ///< of each
  size_t count;
  agpu__map by_name; ///< numbers of those that are like one before
} kernels;

/// Whether the kernel says where in the source it stands.
static bool has_place(MlirOperation op) {
  AGPU__SCOPED(ops) asserts = agpu__ops_in(op, "cf.assert");
  return asserts.count > 0;
}

/// The kernels of a module, and which of them are alike.
static kernels read_kernels(MlirOperation module) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (agpu__op_is(op, "gpu.func"))
      agpu__ops_push(&ops, op);
  kernels all = {.ops = agpu__allocate(ops.count, sizeof(*all.ops)),
                 .texts = agpu__allocate(ops.count, sizeof(*all.texts))};
  for (size_t i = 0; i < ops.count; ++i) {
    if (has_place(ops.data[i]))
      continue;
    if (agpu__alike_read(ops.data[i], &all.texts[all.count]))
      all.ops[all.count++] = ops.data[i];
    else
      agpu__alike_free(&all.texts[all.count]);
  }
  agpu__alike_find(all.texts, all.count);
  return all;
}

/// The name of a symbol, as an attribute: the same one for the same name.
static MlirAttribute name_of(MlirOperation op) {
  return agpu__attr(op, "sym_name");
}

/// Lets a reference to a kernel of `module` that is like one before be to that.
static void update_references(MlirOperation op, MlirOperation module,
                              const kernels *all) {
  MlirContext context = mlirOperationGetContext(op);
  MlirStringRef root = mlirStringAttrGetValue(name_of(module));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    if (!mlirAttributeIsASymbolRef(named.attribute) ||
        mlirSymbolRefAttrGetNumNestedReferences(named.attribute) != 1 ||
        !mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(named.attribute),
                            root))
      continue;
    MlirAttribute leaf = mlirStringAttrGet(
        context, mlirSymbolRefAttrGetLeafReference(named.attribute));
    size_t number = agpu__map_get(&all->by_name, leaf.ptr);
    if (number == AGPU__MAP_NONE)
      continue;
    MlirAttribute nested = mlirFlatSymbolRefAttrGet(
        context,
        mlirStringAttrGetValue(name_of(all->ops[all->texts[number].same_as])));
    mlirOperationSetAttributeByName(
        op, mlirIdentifierStr(named.name),
        mlirSymbolRefAttrGet(context, root, 1, &nested));
  }
}

static void share(MlirOperation module, MlirOperation gpu_module) {
  kernels all = read_kernels(gpu_module);
  for (size_t i = 0; i < all.count; ++i)
    if (all.texts[i].same_as != i)
      agpu__map_set(&all.by_name, name_of(all.ops[i]).ptr, i);
  if (all.by_name.count) {
    AGPU__OPS_IN_FOREACH (op, module, NULL)
      update_references(op, gpu_module, &all);
  }
  for (size_t i = 0; i < all.count; ++i) {
    if (all.texts[i].same_as != i)
      mlirOperationDestroy(all.ops[i]);
    agpu__alike_free(&all.texts[i]);
  }
  agpu__map_free(&all.by_name);
  free(all.texts);
  free(all.ops);
}

static MlirLogicalResult run(MlirOperation module) {
  if (mlirAttributeIsNull(agpu__attr(module, AGPU__ALIKE_ATTR)))
    return mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (nested, module, "gpu.module")
    share(module, nested);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_share_kernels = {
    .argument = "async-gpu-share-kernels",
    .summary = "Make one kernel of those that are alike",
    .run = run,
};
