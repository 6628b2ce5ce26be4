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

#include <stdlib.h>

static bool is_note(MlirStringRef attribute) {
  return mlirStringRefEqual(attribute, agpu__str(AGPU__KIND_ATTR)) ||
         mlirStringRefEqual(attribute, agpu__str(AGPU__START_ATTR));
}

MlirOperation agpu__async_function_as_func(MlirOperation async_function) {
  agpu__builder at = agpu__builder_before(async_function);
  intptr_t count = mlirOperationGetNumAttributes(async_function);
  AGPU__OWNED MlirNamedAttribute *attributes =
      agpu__allocate((size_t)count, sizeof(*attributes));
  size_t kept = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(async_function, i);
    if (!is_note(mlirIdentifierStr(attribute.name)))
      attributes[kept++] = attribute;
  }
  MlirOperation function =
      agpu__build_like(&at, async_function,
                       (agpu__op_spec){.name = "func.func",
                                       .attributes = attributes,
                                       .attribute_count = kept});
  return function;
}

void agpu__async_call_as_func_call(MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  MlirNamedAttribute callee =
      agpu__named(at.context, "callee", agpu__attr(call, "callee"));
  agpu__replace_op_by(call,
                      agpu__build_like(&at, call,
                                       (agpu__op_spec){.name = "func.call",
                                                       .attributes = &callee,
                                                       .attribute_count = 1}));
}
