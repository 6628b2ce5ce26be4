//===- entry_point.c - The function that a run begins with ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "entry_point.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

bool agpu__entry_point_exists(MlirOperation module, const char *name,
                              const char *file) {
  MlirOperation op = agpu__lookup(module, name);
  if (mlirOperationIsNull(op)) {
    MlirContext context = mlirOperationGetContext(module);
    agpu__error(mlirLocationFileLineColGet(context, agpu__str(file), 1, 1),
                "no function '%s' to begin with; name another with "
                "--entry-point",
                name);
    return false;
  }
  bool is_function = agpu__has_attr(op, "function_type") &&
                     mlirOperationGetNumRegions(op) == 1;
  if (!is_function)
    agpu__error(mlirOperationGetLocation(op),
                "the entry point '%s' is not a function", name);
  else if (mlirBlockIsNull(
               mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))))
    agpu__error(mlirOperationGetLocation(op),
                "the entry point '%s' has no body", name);
  else
    return true;
  return false;
}

bool agpu__entry_point_check(MlirOperation module, const char *name,
                             const char *file) {
  if (!agpu__entry_point_exists(module, name, file))
    return false;
  MlirOperation op = agpu__lookup(module, name);
  MlirLocation location = mlirOperationGetLocation(op);
  if (!agpu__op_is(op, "llvm.func")) {
    agpu__error(location,
                "the entry point '%s' is not in the LLVM dialect: passes named "
                "on the command line need --async-gpu-lower behind them",
                name);
    return false;
  }
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(op, agpu__str("function_type")));
  if (mlirLLVMFunctionTypeGetNumInputs(type) != 0) {
    agpu__error(location,
                "the entry point '%s' takes arguments; a program has none to "
                "give",
                name);
    return false;
  }
  MlirType result = mlirLLVMFunctionTypeGetReturnType(type);
  if (!mlirTypeEqual(result, mlirLLVMVoidTypeGet(mlirTypeGetContext(type))) &&
      !mlirTypeEqual(result, agpu__i32_type(mlirTypeGetContext(type)))) {
    agpu__error(location,
                "what '%s' returns is the exit status of the program: no "
                "result, or an i32",
                name);
    return false;
  }
  // Whoever calls it from outside must find it.
  mlirOperationRemoveAttributeByName(op, agpu__str("sym_visibility"));
  return true;
}
