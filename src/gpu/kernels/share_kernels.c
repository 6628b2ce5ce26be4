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
#include "lower/ir/map.h"
#include "lower/pass/pass.h"

#include <stdlib.h>
#include <string.h>

typedef struct kernel {
  MlirOperation op;
  agpu__text text;  ///< it, with its name
  const char *rest; ///< what follows its name
  size_t same_as;   ///< the first kernel that is like it: itself, or one before
} kernel;

typedef struct kernels {
  kernel *data;
  size_t count;
  agpu__map by_name; ///< numbers of those that are like one before
} kernels;

/// The text of a kernel; false for one that says where in the source it stands.
static bool read_kernel(MlirOperation op, kernel *out) {
  *out = (kernel){.op = op};
  agpu__ops asserts = agpu__ops_in(op, "cf.assert");
  bool has_place = asserts.count > 0;
  agpu__ops_free(&asserts);
  if (has_place)
    return false;
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(op, flags, agpu__text_callback, &out->text);
  mlirOpPrintingFlagsDestroy(flags);
  out->rest = strchr(agpu__text_get(&out->text), '(');
  return out->rest != NULL;
}

/// By their texts; of those that are alike the first one of the module is
/// first.
static int compare(const void *a, const void *b) {
  const kernel *const *first = a, *const *second = b;
  int order = strcmp((*first)->rest, (*second)->rest);
  return order ? order : (*first > *second) - (*first < *second);
}

static void find_alike(kernels *all) {
  kernel **sorted = agpu__allocate(all->count, sizeof(kernel *));
  for (size_t i = 0; i < all->count; ++i)
    sorted[i] = &all->data[i];
  qsort(sorted, all->count, sizeof(*sorted), compare);
  for (size_t i = 1; i < all->count; ++i)
    if (!strcmp(sorted[i]->rest, sorted[i - 1]->rest))
      sorted[i]->same_as = sorted[i - 1]->same_as;
  free(sorted);
}

/// The kernels of a module, and which of them are alike.
static kernels read_kernels(MlirOperation module) {
  agpu__ops ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "gpu.func"))
      agpu__ops_push(&ops, op);
  kernels all = {.data = agpu__allocate(ops.count, sizeof(*all.data))};
  for (size_t i = 0; i < ops.count; ++i) {
    kernel *made = &all.data[all.count];
    if (read_kernel(ops.data[i], made))
      made->same_as = all.count++;
    else
      agpu__text_free(&made->text);
  }
  agpu__ops_free(&ops);
  find_alike(&all);
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
        context, mlirStringAttrGetValue(
                     name_of(all->data[all->data[number].same_as].op)));
    mlirOperationSetAttributeByName(
        op, mlirIdentifierStr(named.name),
        mlirSymbolRefAttrGet(context, root, 1, &nested));
  }
}

static void share(MlirOperation module, MlirOperation gpu_module) {
  kernels all = read_kernels(gpu_module);
  for (size_t i = 0; i < all.count; ++i)
    if (all.data[i].same_as != i)
      agpu__map_set(&all.by_name, name_of(all.data[i].op).ptr, i);
  if (all.by_name.count) {
    agpu__ops ops = agpu__ops_in(module, NULL);
    for (size_t i = 0; i < ops.count; ++i)
      update_references(ops.data[i], gpu_module, &all);
    agpu__ops_free(&ops);
  }
  for (size_t i = 0; i < all.count; ++i) {
    if (all.data[i].same_as != i)
      mlirOperationDestroy(all.data[i].op);
    agpu__text_free(&all.data[i].text);
  }
  agpu__map_free(&all.by_name);
  free(all.data);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  (void)values;
  if (mlirAttributeIsNull(agpu__attr(module, AGPU__ALIKE_ATTR)))
    return mlirLogicalResultSuccess();
  agpu__ops modules = agpu__ops_in(module, "gpu.module");
  for (size_t i = 0; i < modules.count; ++i)
    share(module, modules.data[i]);
  agpu__ops_free(&modules);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_share_kernels = {
    .argument = "async-gpu-share-kernels",
    .summary = "Make one kernel of those that are alike",
    .run = run,
};
