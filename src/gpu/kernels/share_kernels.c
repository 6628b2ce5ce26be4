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
    if (!read_kernel(ops.data[i], made)) {
      agpu__text_free(&made->text);
      continue;
    }
    made->same_as = all.count;
    for (size_t k = 0; k < all.count && made->same_as == all.count; ++k)
      if (all.data[k].same_as == k && !strcmp(all.data[k].rest, made->rest))
        made->same_as = k;
    ++all.count;
  }
  agpu__ops_free(&ops);
  return all;
}

static MlirStringRef name_of(MlirOperation op) {
  return mlirStringAttrGetValue(agpu__attr(op, "sym_name"));
}

/// Lets a reference to a kernel of `module` that is like one before be to that.
static void update_references(MlirOperation op, MlirStringRef module,
                              const kernels *all) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    if (!mlirAttributeIsASymbolRef(named.attribute) ||
        mlirSymbolRefAttrGetNumNestedReferences(named.attribute) != 1 ||
        !mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(named.attribute),
                            module))
      continue;
    MlirStringRef leaf = mlirSymbolRefAttrGetLeafReference(named.attribute);
    for (size_t k = 0; k < all->count; ++k) {
      if (!mlirStringRefEqual(name_of(all->data[k].op), leaf))
        continue;
      MlirContext context = mlirOperationGetContext(op);
      MlirAttribute nested = mlirFlatSymbolRefAttrGet(
          context, name_of(all->data[all->data[k].same_as].op));
      mlirOperationSetAttributeByName(
          op, mlirIdentifierStr(named.name),
          mlirSymbolRefAttrGet(context, module, 1, &nested));
      break;
    }
  }
}

static void share(MlirOperation module, MlirOperation gpu_module) {
  kernels all = read_kernels(gpu_module);
  bool any = false;
  for (size_t i = 0; i < all.count; ++i)
    any |= all.data[i].same_as != i;
  if (any) {
    agpu__ops ops = agpu__ops_in(module, NULL);
    for (size_t i = 0; i < ops.count; ++i)
      update_references(ops.data[i], name_of(gpu_module), &all);
    agpu__ops_free(&ops);
  }
  for (size_t i = 0; i < all.count; ++i) {
    if (all.data[i].same_as != i)
      mlirOperationDestroy(all.data[i].op);
    agpu__text_free(&all.data[i].text);
  }
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
