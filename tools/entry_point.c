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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// By agpu__result_kind.
static const char *const kind_names[] = {"",    "void", "i32",
                                         "i64", "f32",  "f64"};
enum { KIND_COUNT = sizeof(kind_names) / sizeof(*kind_names) };

bool agpu__result_kind_parse(const char *text, agpu__result_kind *out_kind) {
  for (int i = AGPU_RESULT_VOID; i < KIND_COUNT; ++i)
    if (strcmp(text, kind_names[i]) == 0) {
      *out_kind = (agpu__result_kind)i;
      return true;
    }
  return false;
}

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

/// AUTO where the type is none of those that can be printed.
static agpu__result_kind kind_of(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeEqual(type, mlirLLVMVoidTypeGet(context)))
    return AGPU_RESULT_VOID;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32)
    return AGPU_RESULT_I32;
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 64)
    return AGPU_RESULT_I64;
  if (mlirTypeIsAF32(type))
    return AGPU_RESULT_F32;
  if (mlirTypeIsAF64(type))
    return AGPU_RESULT_F64;
  return AGPU_RESULT_AUTO;
}

bool agpu__entry_point_check(MlirOperation module, const char *name,
                             const char *file, agpu__result_kind wanted,
                             agpu__result_kind *out_kind) {
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
                "the entry point '%s' takes arguments; a run has "
                "none to give",
                name);
    return false;
  }
  agpu__result_kind kind = kind_of(mlirLLVMFunctionTypeGetReturnType(type));
  if (kind == AGPU_RESULT_AUTO) {
    agpu__error(location,
                "the entry point '%s' must have no result, or one of "
                "type i32, i64, index, f32 or f64",
                name);
    return false;
  }
  if (wanted != AGPU_RESULT_AUTO && wanted != kind) {
    agpu__error(location,
                "the entry point '%s' has the result type %s, not %s "
                "as --entry-point-result says",
                name, kind_names[kind], kind_names[wanted]);
    return false;
  }
  // Whoever calls it from outside must find it.
  mlirOperationRemoveAttributeByName(op, agpu__str("sym_visibility"));
  *out_kind = kind;
  return true;
}

void agpu__entry_point_call(void *address, agpu__result_kind kind) {
  uintptr_t code = (uintptr_t)address;
  switch (kind) {
  case AGPU_RESULT_AUTO:
  case AGPU_RESULT_VOID: ((void (*)(void))code)(); break;
  case AGPU_RESULT_I32:
    printf("%" PRId32 "\n", ((int32_t (*)(void))code)());
    break;
  case AGPU_RESULT_I64:
    printf("%" PRId64 "\n", ((int64_t (*)(void))code)());
    break;
  case AGPU_RESULT_F32:
    printf("%e\n", (double)((float (*)(void))code)());
    break;
  case AGPU_RESULT_F64: printf("%e\n", ((double (*)(void))code)()); break;
  }
}
