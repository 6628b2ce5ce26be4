//===- async_functions.c - Async functions as functions -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body moves, it is not copied: values of others that lead into it stay
// right. Attributes that only passes before this one read
// (dialect/attributes.h) go.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

#include <stdlib.h>

static bool is_note(MlirStringRef attribute) {
  return mlirStringRefEqual(attribute, agpu__str(AGPU__KIND_ATTR)) ||
         mlirStringRefEqual(attribute, agpu__str(AGPU__START_ATTR));
}

MlirOperation agpu__async_function_as_func(MlirOperation async_function) {
  agpu__builder at = agpu__builder_before(async_function);
  intptr_t count = mlirOperationGetNumAttributes(async_function);
  MlirNamedAttribute *attributes =
      agpu__allocate((size_t)count, sizeof(*attributes));
  size_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(async_function, i);
    if (!is_note(mlirIdentifierStr(attribute.name)))
      attributes[kept++] = attribute;
  }
  MlirRegion region = mlirRegionCreate();
  agpu__op_spec spec = {.name = "func.func",
                        .location = at.location,
                        .attributes = attributes,
                        .attribute_count = kept,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation function = agpu__build(&at, &spec);
  mlirRegionTakeBody(mlirOperationGetRegion(function, 0),
                     mlirOperationGetRegion(async_function, 0));
  free(attributes);
  return function;
}

void agpu__async_call_as_func_call(MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  agpu__values operands = agpu__operands(call, 0);
  intptr_t result_count = mlirOperationGetNumResults(call);
  MlirType *types = agpu__allocate((size_t)result_count, sizeof(*types));
  for (intptr_t i = 0; i < result_count; ++i)
    types[i] = mlirValueGetType(agpu__result(call, i));
  MlirOperation fresh = agpu__build_call_of(
      &at, "func.call", agpu__attr(call, "callee"), operands.data,
      operands.count, types, (size_t)result_count);
  for (intptr_t i = 0; i < result_count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(call, i),
                                  agpu__result(fresh, i));
  mlirOperationDestroy(call);
  free(types);
  agpu__values_free(&operands);
}
