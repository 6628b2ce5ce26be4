//===- calls.c - Functions that a kernel calls ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows calls and addresses from kernels to what they need, drops what none
// needs, and inlines functions that wait for other threads, end their own or
// assert: those are the kernel's doing.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"

#include "gpu/native/base/simt.h"
#include "gpu/nvvm/nvvm.h"

/// Adds the constants that `function` has in place of another's.
static void reach_constants(MlirSymbolTable symbols, MlirOperation function,
                            agpu__op_set *reached) {
  MlirAttribute names = agpu__attr(function, AGPU__ALIKE_CONSTANTS);
  for (intptr_t i = 0;
       !mlirAttributeIsNull(names) && i < mlirArrayAttrGetNumElements(names);
       ++i) {
    MlirOperation found = mlirSymbolTableLookup(
        symbols,
        mlirFlatSymbolRefAttrGetValue(mlirArrayAttrGetElement(names, i)));
    if (!mlirOperationIsNull(found))
      agpu__op_set_add(reached, found);
  }
}

void agpu__simt_reach(MlirSymbolTable symbols, MlirOperation function,
                      agpu__op_set *reached) {
  size_t first = reached->all.count;
  agpu__op_set_add(reached, function);
  reach_constants(symbols, function, reached);
  // The list grows while it is gone through.
  for (size_t i = first; i < reached->all.count; ++i) {
    AGPU__OPS_IN_FOREACH (op, reached->all.data[i], NULL) {
      const char *name =
          agpu__op_is(op, "llvm.mlir.addressof") ? "global_name" : "callee";
      MlirAttribute symbol = agpu__attr(op, name);
      if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol))
        continue;
      MlirOperation found =
          mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(symbol));
      if (!mlirOperationIsNull(found))
        agpu__op_set_add(reached, found);
    }
  }
}

/// True if an assertion of `function` itself may fail.
static bool asserts(MlirOperation function) {
  AGPU__OPS_IN_FOREACH (op, function, "llvm.call")
    if (agpu__simt_is_assertion(op))
      return true;
  return false;
}

/// True if an op of `function` itself ends its thread.
static bool exits(MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, "nvvm.exit");
  return ops.count;
}

/// The thread returns from the kernel instead; what follows in the block is
/// never reached.
static void replace_exits(MlirOperation kernel) {
  AGPU__OPS_IN_FOREACH (op, kernel, "nvvm.exit") {
    (void)agpu__split_after(op);
    agpu__builder at = agpu__builder_before(op);
    agpu__build_effect(&at, "llvm.return", NULL, 0);
    mlirOperationDestroy(op);
  }
}

MlirLogicalResult agpu__simt_inline_waits(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) functions = {0};
  agpu__simt_functions(gpu_module, false, &functions);
  bool needed = false;
  for (size_t i = 0; i < functions.count && !needed; ++i) {
    MlirOperation op = functions.data[i];
    needed = !agpu__nvvm_is_kernel(op) &&
             (agpu__simt_waits(op) || exits(op) || asserts(op));
  }
  // Inlines every call in the module that can be.
  if (needed && mlirLogicalResultIsFailure(agpu__upstream_run(
                    gpu_module, "inline{default-pipeline= max-iterations=64}")))
    return mlirLogicalResultFailure();

  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    replace_exits(kernels.data[i]);
    if (!needed)
      continue;
    AGPU__SCOPED(op_set) reached = {{0}, {0}};
    agpu__simt_reach(symbols, kernels.data[i], &reached);
    for (size_t k = 1; k < reached.all.count; ++k) {
      MlirOperation function = reached.all.data[k];
      bool waits = agpu__simt_waits(function);
      if (agpu__op_is(function, "llvm.func") && (waits || exits(function)))
        result = agpu__error(
            mlirOperationGetLocation(function),
            "this function %s and cannot be inlined there; on the emulated "
            "device such a function can be neither recursive nor marked "
            "no_inline",
            waits ? "waits for other threads of its kernel"
                  : "ends threads of its kernel");
    }
  }
  mlirSymbolTableDestroy(symbols);
  return result;
}

void agpu__simt_drop_unused(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) kernels = {0};
  AGPU__SCOPED(op_set) used = {{0}, {0}};
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i)
    agpu__simt_reach(symbols, kernels.data[i], &used);
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (!agpu__op_set_has(&used, op))
      mlirOperationDestroy(op);
    op = next;
  }
  mlirSymbolTableDestroy(symbols);
}
