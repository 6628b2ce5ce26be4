//===- stub.c - Functions that put arguments into memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stub is a function that is never inlined, and whose memory ends with the
// call. It is made empty; who asks for it fills it.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/stub.h"

#include "lower/ir/llvm_ops.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

MlirType agpu__stub_type(const agpu__values *inputs) {
  MlirType *types = agpu__allocate(inputs->count, sizeof(*types));
  for (size_t i = 0; i < inputs->count; ++i)
    types[i] = mlirValueGetType(inputs->data[i]);
  MlirType type = mlirFunctionTypeGet(mlirTypeGetContext(types[0]),
                                      (intptr_t)inputs->count, types, 0, NULL);
  free(types);
  return type;
}

MlirOperation agpu__stub_create(MlirOperation module, MlirLocation location,
                                const char *name, MlirType type) {
  agpu__builder at = agpu__builder_at_end(agpu__module_body(module), location);
  MlirOperation stub =
      agpu__build_function(&at, &(agpu__function_spec){.op = "func.func",
                                                       .name = name,
                                                       .type = type,
                                                       .with_body = true,
                                                       .is_internal = true});
  agpu__set_attr(stub, "passthrough",
                 agpu__parse_attr(at.context, "[\"noinline\"]"));
  return stub;
}

MlirValue agpu__stub_field(agpu__builder *at, MlirType type, MlirValue base,
                           int32_t field, int32_t element) {
  const int32_t path[] = {0, field, element};
  return agpu__llvm_member(at, base, type, path, element < 0 ? 2 : 3);
}

MlirValue agpu__stub_array(agpu__builder *at, MlirType type,
                           const MlirValue *values, size_t count) {
  MlirType array_type =
      mlirLLVMArrayTypeGet(type, (unsigned)(count ? count : 1));
  MlirValue array = agpu__llvm_alloca(at, array_type, agpu__llvm_i64(at, 1), 0);
  for (size_t i = 0; i < count; ++i)
    agpu__llvm_store(at, values[i],
                     agpu__stub_field(at, array_type, array, (int32_t)i, -1));
  return array;
}
