//===- link.c - Native code in the program --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes for native code stay inside of their gpu.module. What they leave
// has names that no other symbol of the program has; only what both sides
// declare, functions of the runtime and of the C library, may be there already.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/link.h"

#include "lower/ir/ir.h"

/// Makes the module's calls of `name`, a func.func there, those of an
/// llvm.func, which the host has.
static void call_llvm(MlirOperation gpu_module, MlirStringRef name) {
  agpu__ops calls = agpu__ops_in(gpu_module, "func.call");
  for (size_t i = 0; i < calls.count; ++i) {
    MlirOperation op = calls.data[i];
    if (!mlirStringRefEqual(
            mlirFlatSymbolRefAttrGetValue(agpu__attr(op, "callee")), name))
      continue;
    agpu__builder at = agpu__builder_before(op);
    agpu__values operands = agpu__operands(op, 0);
    bool has_result = mlirOperationGetNumResults(op) == 1;
    MlirValue result = agpu__llvm_call(
        &at, name.data, operands.data, operands.count,
        has_result ? mlirValueGetType(agpu__result(op, 0)) : (MlirType){NULL});
    if (has_result)
      mlirValueReplaceAllUsesOfWith(agpu__result(op, 0), result);
    agpu__values_free(&operands);
    mlirOperationDestroy(op);
  }
  agpu__ops_free(&calls);
}

static void move_declaration(MlirOperation host_module,
                             MlirOperation gpu_module, MlirOperation op) {
  // The context keeps strings with a NUL behind them.
  MlirStringRef name = agpu__get_string(op, "sym_name");
  MlirOperation known = agpu__lookup(host_module, name.data);
  if (mlirOperationIsNull(known)) {
    mlirOperationRemoveFromParent(op);
    // Where declarations are looked for.
    mlirBlockInsertOwnedOperation(agpu__module_body(host_module), 0, op);
    return;
  }
  if (agpu__op_is(op, "func.func") && agpu__op_is(known, "llvm.func"))
    call_llvm(gpu_module, name);
  mlirOperationDestroy(op);
}

void agpu__link_native(MlirOperation host_module, MlirOperation gpu_module,
                       MlirOperation before) {
  agpu__ops ops = {0};
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i)
    if (!agpu__op_is(ops.data[i], "llvm.mlir.global") &&
        agpu__is_declaration(ops.data[i]))
      move_declaration(host_module, gpu_module, ops.data[i]);
  for (MlirOperation op;
       op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module)),
       !mlirOperationIsNull(op);) {
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(agpu__module_body(host_module), before,
                                        op);
  }
  agpu__ops_free(&ops);
}
