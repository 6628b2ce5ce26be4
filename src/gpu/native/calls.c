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

#include "gpu/native/calls.h"

#include "gpu/native/base/simt.h"
#include "gpu/native/base/waits.h"
#include "gpu/native/body_ops.h"
#include "gpu/nvvm/lowered.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/pass/upstream.h"

static bool contains(const agpu__ops *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

void agpu__simt_reach(MlirOperation gpu_module, MlirOperation function,
                      agpu__ops *out_symbols) {
  agpu__ops_push(out_symbols, function);
  // The list grows while it is gone through.
  for (size_t i = 0; i < out_symbols->count; ++i) {
    agpu__ops ops = agpu__ops_in(out_symbols->data[i], NULL);
    for (size_t k = 0; k < ops.count; ++k) {
      const char *name = agpu__op_is(ops.data[k], "llvm.mlir.addressof")
                             ? "global_name"
                             : "callee";
      MlirAttribute symbol = agpu__attr(ops.data[k], name);
      if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol))
        continue;
      // The context keeps strings with a NUL after them.
      MlirOperation found =
          agpu__lookup(gpu_module, mlirFlatSymbolRefAttrGetValue(symbol).data);
      if (!mlirOperationIsNull(found) && !contains(out_symbols, found))
        agpu__ops_push(out_symbols, found);
    }
    agpu__ops_free(&ops);
  }
}

/// True if an assertion of `function` itself may fail.
static bool asserts(MlirOperation function) {
  agpu__ops ops = agpu__ops_in(function, "llvm.call");
  bool found = false;
  for (size_t i = 0; i < ops.count && !found; ++i)
    found = agpu__simt_is_assertion(ops.data[i]);
  agpu__ops_free(&ops);
  return found;
}

/// True if an op of `function` itself ends its thread.
static bool exits(MlirOperation function) {
  agpu__ops ops = agpu__ops_in(function, "nvvm.exit");
  bool found = ops.count;
  agpu__ops_free(&ops);
  return found;
}

/// The thread returns from the kernel instead; what follows in the block is
/// never reached.
static void replace_exits(MlirOperation kernel) {
  agpu__ops ops = agpu__ops_in(kernel, "nvvm.exit");
  for (size_t i = 0; i < ops.count; ++i) {
    (void)agpu__split_after(ops.data[i]);
    agpu__builder at = agpu__builder_before(ops.data[i]);
    agpu__build_op(&at, "llvm.return", NULL, 0, (MlirType){NULL}, NULL, 0);
    mlirOperationDestroy(ops.data[i]);
  }
  agpu__ops_free(&ops);
}

MlirLogicalResult agpu__simt_inline_waits(MlirOperation gpu_module) {
  agpu__ops functions = {0};
  agpu__simt_functions(gpu_module, false, &functions);
  bool needed = false;
  for (size_t i = 0; i < functions.count && !needed; ++i) {
    MlirOperation op = functions.data[i];
    needed = !agpu__nvvm_is_kernel(op) &&
             (agpu__simt_waits(op) || exits(op) || asserts(op));
  }
  agpu__ops_free(&functions);
  // Inlines every call in the module that can be.
  if (needed && mlirLogicalResultIsFailure(agpu__upstream_run(
                    gpu_module, "inline{default-pipeline= max-iterations=64}")))
    return mlirLogicalResultFailure();

  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    replace_exits(kernels.data[i]);
    if (!needed)
      continue;
    agpu__ops reached = {0};
    agpu__simt_reach(gpu_module, kernels.data[i], &reached);
    for (size_t k = 1; k < reached.count; ++k) {
      bool waits = agpu__simt_waits(reached.data[k]);
      if (agpu__op_is(reached.data[k], "llvm.func") &&
          (waits || exits(reached.data[k])))
        result = agpu__error(
            mlirOperationGetLocation(reached.data[k]),
            "this function %s and cannot be inlined there; on the emulated "
            "device such a function can be neither recursive nor marked "
            "no_inline",
            waits ? "waits for other threads of its kernel"
                  : "ends threads of its kernel");
    }
    agpu__ops_free(&reached);
  }
  agpu__ops_free(&kernels);
  return result;
}

void agpu__simt_drop_unused(MlirOperation gpu_module) {
  agpu__ops used = {0}, kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    agpu__ops reached = {0};
    agpu__simt_reach(gpu_module, kernels.data[i], &reached);
    for (size_t k = 0; k < reached.count; ++k)
      if (!contains(&used, reached.data[k]))
        agpu__ops_push(&used, reached.data[k]);
    agpu__ops_free(&reached);
  }
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (!contains(&used, op))
      mlirOperationDestroy(op);
    op = next;
  }
  agpu__ops_free(&kernels);
  agpu__ops_free(&used);
}
