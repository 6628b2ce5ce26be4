//===- legalize.c - async-gpu-native-legalize -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first pass on the way to native code: what it leaves is arithmetic and
// memory, registers, waits, and what a device does for its kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/instructions/instructions.h"
#include "gpu/native/native.h"
#include "gpu/nvvm/nvvm.h"
#include "gpu/ptx/ptx.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

// Kernels are agpu_body.M.K, functions agpu_device.M.F and globals
// agpu_global.M.G from the first pass on: then what is declared beside them is
// a function of the host, whatever the kernels' author has called theirs.

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
  AGPU__OWNED char *symbol =
      agpu__embed_symbol(prefix, module, mlirStringAttrGetValue(name));
  size_t count = all->count++;
  all->from[count] = name;
  all->to[count] = agpu__string_attr(mlirOperationGetContext(op), symbol);
  agpu__set_attr(op, "sym_name", all->to[count]);
  if (kernel) {
    default_to(op, AGPU__KERNEL_NAME, name);
    default_to(op, AGPU__IMAGE_NAME, name);
  }
}

/// Follows the constants that a kernel has in place of another's.
static void follow_constants(MlirOperation op, const renamings *all) {
  MlirAttribute names = agpu__attr(op, AGPU__ALIKE_CONSTANTS);
  if (mlirAttributeIsNull(names))
    return;
  MlirContext context = mlirOperationGetContext(op);
  intptr_t count = mlirArrayAttrGetNumElements(names);
  AGPU__OWNED MlirAttribute *renamed =
      agpu__allocate((size_t)count, sizeof(*renamed));
  for (intptr_t i = 0; i < count; ++i) {
    renamed[i] = mlirArrayAttrGetElement(names, i);
    MlirAttribute name = find(all, mlirFlatSymbolRefAttrGetValue(renamed[i]));
    if (!mlirAttributeIsNull(name))
      renamed[i] =
          mlirFlatSymbolRefAttrGet(context, mlirStringAttrGetValue(name));
  }
  agpu__set_attr(op, AGPU__ALIKE_CONSTANTS,
                 mlirArrayAttrGet(context, count, renamed));
}

static MlirWalkResult follow(MlirOperation op, void *data) {
  follow_constants(op, data);
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

static void name_symbols(MlirOperation gpu_module) {
  MlirStringRef module = agpu__source_module(gpu_module);
  AGPU__SCOPED(ops) symbols = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (!agpu__op_is(op, "llvm.func") || !agpu__is_declaration(op))
      agpu__ops_push(&symbols, op);
  renamings all = {.from = agpu__allocate(symbols.count, sizeof(*all.from)),
                   .to = agpu__allocate(symbols.count, sizeof(*all.to))};
  for (size_t i = 0; i < symbols.count; ++i)
    rename(symbols.data[i], module, &all);
  mlirOperationWalk(gpu_module, follow, &all, MlirWalkPreOrder);
  free(all.from);
  free(all.to);
}

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  name_symbols(gpu_module);
  agpu__simt_replace_unsupported(gpu_module);
  // What async-gpu-kernel-targets has let through is marked by now.
  if (mlirLogicalResultIsFailure(agpu__simt_check(gpu_module, false)))
    return mlirLogicalResultFailure();
  agpu__simt_expand_asynchronous(gpu_module);
  agpu__simt_expand_instructions(gpu_module);
  if (mlirLogicalResultIsFailure(agpu__libdevice_to_host(gpu_module)) ||
      mlirLogicalResultIsFailure(agpu__simt_inline_waits(gpu_module)))
    return mlirLogicalResultFailure();
  agpu__simt_drop_unused(gpu_module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_native_legalize = {
    .argument = AGPU__SIMT_PASS("legalize"),
    .anchor = "gpu.module",
    .summary = "Replace what only a GPU can run in kernels",
    .run = run,
};
