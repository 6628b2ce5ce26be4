//===- stub.c - Functions that put arguments into memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/stub.h"

#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

MlirOperation agpu__stub_create(MlirOperation module, MlirLocation location,
                                const char *name, const agpu__values *inputs) {
  MlirContext context = mlirOperationGetContext(module);
  MlirType *types = calloc(inputs->count, sizeof(*types));
  if (!types)
    abort();
  for (size_t i = 0; i < inputs->count; ++i)
    types[i] = mlirValueGetType(inputs->data[i]);
  MlirType type =
      mlirFunctionTypeGet(context, (intptr_t)inputs->count, types, 0, NULL);
  free(types);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, name)),
      agpu__named(context, "function_type", mlirTypeAttrGet(type)),
      agpu__named(context, "sym_visibility",
                  agpu__string_attr(context, "private")),
      agpu__named(context, "passthrough",
                  agpu__parse_attr(context, "[\"noinline\"]")),
      agpu__named(context, "llvm.linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal)),
  };
  MlirRegion region = mlirRegionCreate();
  agpu__builder at = agpu__builder_at_end(agpu__module_body(module), location);
  agpu__op_spec spec = {.name = "func.func",
                        .location = location,
                        .attributes = attributes,
                        .attribute_count = 5,
                        .regions = &region,
                        .region_count = 1};
  MlirOperation stub = agpu__build(&at, &spec);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(stub, 0), block);
  for (size_t i = 0; i < inputs->count; ++i)
    mlirBlockAddArgument(block, mlirValueGetType(inputs->data[i]), location);
  return stub;
}

void agpu__stub_call(agpu__builder *at, const char *name,
                     const agpu__values *inputs) {
  MlirNamedAttribute callee =
      agpu__named(at->context, "callee", agpu__symbol_attr(at->context, name));
  agpu__build_op(at, "func.call", inputs->data, inputs->count, (MlirType){NULL},
                 &callee, 1);
}

MlirValue agpu__stub_alloca(agpu__builder *at, MlirType type) {
  MlirValue one = agpu__llvm_i64(at, 1);
  MlirNamedAttribute element =
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(type));
  return agpu__result(agpu__build_op(at, "llvm.alloca", &one, 1,
                                     agpu__ptr_type(at->context), &element, 1),
                      0);
}

MlirValue agpu__stub_field(agpu__builder *at, MlirType type, MlirValue base,
                           int32_t field, int32_t element) {
  int32_t path[] = {0, field, element};
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(type)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, element < 0 ? 2 : 3, path)),
  };
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", &base, 1,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

MlirValue agpu__stub_array(agpu__builder *at, MlirType type,
                           const MlirValue *values, size_t count) {
  MlirType array_type =
      mlirLLVMArrayTypeGet(type, (unsigned)(count ? count : 1));
  MlirValue array = agpu__stub_alloca(at, array_type);
  for (size_t i = 0; i < count; ++i)
    agpu__llvm_store(at, values[i],
                     agpu__stub_field(at, array_type, array, (int32_t)i, -1));
  return array;
}
