//===- names.c - Names in the host's program ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are agpu_body.M.K, functions agpu_device.M.F and globals
// agpu_global.M.G from the first pass on: then what is declared beside them is
// a function of the host, whatever the kernels' author has called theirs.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/names.h"

#include "gpu/kernels/symbols.h"
#include "gpu/native/base/simt.h"
#include "gpu/nvvm/lowered.h"

#include <stdlib.h>

typedef struct renamings {
  MlirAttribute *from, *to; ///< names
  size_t count;
} renamings;

/// The new name of what is called `name`, a null attribute if it keeps its own.
static MlirAttribute find(const renamings *all, MlirStringRef name) {
  for (size_t i = 0; i < all->count; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(all->from[i]), name))
      return all->to[i];
  return mlirAttributeGetNull();
}

static void default_to(MlirOperation op, const char *name,
                       MlirAttribute value) {
  if (!agpu__has_attr(op, name))
    agpu__set_attr(op, name, value);
}

static void rename(MlirOperation op, MlirStringRef module, renamings *all) {
  bool kernel = agpu__nvvm_is_kernel(op);
  const char *prefix = !agpu__op_is(op, "llvm.func") ? "agpu_global"
                       : kernel                      ? "agpu_body"
                                                     : "agpu_device";
  MlirAttribute name = agpu__attr(op, "sym_name");
  char *symbol =
      agpu__embed_symbol(prefix, module, mlirStringAttrGetValue(name));
  size_t count = all->count++;
  all->from[count] = name;
  all->to[count] = agpu__string_attr(mlirOperationGetContext(op), symbol);
  agpu__set_attr(op, "sym_name", all->to[count]);
  if (kernel) {
    default_to(op, AGPU__KERNEL_NAME, name);
    default_to(op, AGPU__IMAGE_NAME, name);
  }
  free(symbol);
}

static MlirWalkResult follow(MlirOperation op, void *data) {
  const char *const attributes[] = {"callee", "global_name"};
  for (size_t i = 0; i < 2; ++i) {
    MlirAttribute symbol = agpu__attr(op, attributes[i]);
    if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol))
      continue;
    MlirAttribute name = find(data, mlirFlatSymbolRefAttrGetValue(symbol));
    if (!mlirAttributeIsNull(name))
      agpu__set_attr(op, attributes[i],
                     mlirFlatSymbolRefAttrGet(mlirOperationGetContext(op),
                                              mlirStringAttrGetValue(name)));
  }
  return MlirWalkResultAdvance;
}

void agpu__simt_name_symbols(MlirOperation gpu_module) {
  MlirStringRef module = agpu__source_module(gpu_module);
  agpu__ops symbols = {0};
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (!agpu__op_is(op, "llvm.func") || !agpu__is_declaration(op))
      agpu__ops_push(&symbols, op);
  renamings all = {.from = agpu__allocate(symbols.count, sizeof(*all.from)),
                   .to = agpu__allocate(symbols.count, sizeof(*all.to))};
  for (size_t i = 0; i < symbols.count; ++i)
    rename(symbols.data[i], module, &all);
  mlirOperationWalk(gpu_module, follow, &all, MlirWalkPreOrder);
  agpu__ops_free(&symbols);
  free(all.from);
  free(all.to);
}
