//===- entry_point.c - The function that a run begins with ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "entry_point.h"

#include "lower/ir/ir.h"
#include "lower/ir/nearest.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Lists at most so many; a file of a front end may have hundreds.
enum { MAX_LISTED = 8 };

static void report_missing(MlirOperation module, const char *name,
                           const char *file, const char *option) {
  agpu__ops all = {0};
  agpu__text list = {0};
  const char *best = NULL;
  char *names = NULL;
  size_t distance = (size_t)-1, count = 0;
  agpu__collect(module, NULL, &all);
  for (size_t i = 0; i < all.count; ++i) {
    MlirStringRef symbol = agpu__get_string(all.data[i], "sym_name");
    if (!agpu__has_attr(all.data[i], "function_type") || !symbol.length ||
        !mlirOperationEqual(mlirOperationGetParentOperation(all.data[i]),
                            module) ||
        mlirOperationGetNumRegions(all.data[i]) != 1 ||
        mlirBlockIsNull(
            mlirRegionGetFirstBlock(mlirOperationGetRegion(all.data[i], 0))))
      continue;
    char *function = agpu__format("%.*s", (int)symbol.length, symbol.data);
    const char *before = best;
    agpu__nearest_name(name, function, &best, &distance);
    if (++count <= MAX_LISTED)
      agpu__text_printf(&list, "%s'%s'", list.size ? ", " : "", function);
    if (best == before) {
      free(function);
    } else {
      free(names);
      names = function;
    }
  }
  agpu__ops_free(&all);
  agpu__text message = {0};
  agpu__text_printf(&message, "no function '%s' to begin with", name);
  if (best)
    agpu__text_printf(&message, ", did you mean '%s'?", best);
  else if (count)
    agpu__text_printf(&message, "; there %s %s%s", count == 1 ? "is" : "are",
                      list.data, count > MAX_LISTED ? ", ..." : "");
  else
    agpu__text_puts(&message, "; the file has no functions with bodies");
  if (count && option)
    agpu__text_printf(&message, "%s %s names another one", best ? "" : ";",
                      option);
  // The beginning of the file has no place that could be shown.
  agpu__error(mlirLocationFileLineColGet(mlirOperationGetContext(module),
                                         agpu__str(file), 0, 0),
              "%s", message.data);
  agpu__text_free(&message);
  agpu__text_free(&list);
  free(names);
}

bool agpu__entry_point_exists(MlirOperation module, const char *name,
                              const char *file, const char *option) {
  MlirOperation op = agpu__lookup(module, name);
  if (mlirOperationIsNull(op)) {
    report_missing(module, name, file, option);
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
  if (!agpu__entry_point_exists(module, name, file, NULL))
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
