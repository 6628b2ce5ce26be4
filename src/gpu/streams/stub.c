//===- stub.c - Functions that put arguments into memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stub is a function that is never inlined, and whose memory ends with the
// call. It is made empty; the caller fills it.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

MlirType agpu__stub_type(const agpu__values *inputs) {
  AGPU__OWNED MlirType *types = agpu__types_of(inputs->data, inputs->count);
  return mlirFunctionTypeGet(mlirTypeGetContext(types[0]),
                             (intptr_t)inputs->count, types, 0, NULL);
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

//===----------------------------------------------------------------------===//
// Copies and fills with strides
//===----------------------------------------------------------------------===//

// Sizes and strides go to the runtime as arrays. One stub for each rank
// takes them one by one, so a program with many copies has few
// functions.

/// What the stubs of both functions share: `inputs` are `lead` values, then
/// `arrays` groups of `rank` i64 each, then the element's bytes and the
/// location; the runtime function takes the groups as arrays, after the rank.
typedef struct strided_call {
  const char *function;
  size_t lead, arrays;
  intptr_t rank;
  agpu__values inputs;
} strided_call;

static void push_sizes(agpu__builder *at, strided_call *call, agpu__view of) {
  for (intptr_t i = 0; i < call->rank; ++i)
    agpu__values_push(&call->inputs,
                      agpu__memref_size(at, of.type, of.descriptor, i));
}

static void push_strides(agpu__builder *at, strided_call *call, agpu__view of) {
  for (intptr_t i = 0; i < call->rank; ++i)
    agpu__values_push(&call->inputs, agpu__memref_stride(at, of.descriptor, i));
}

static void fill_stub(MlirOperation module, MlirOperation stub,
                      const strided_call *call) {
  MlirBlock block = agpu__entry_block(stub);
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(stub));
  AGPU__SCOPED(values) arguments = agpu__arguments(block, 0), operands = {0};
  for (size_t i = 0; i < call->lead; ++i)
    agpu__values_push(&operands, arguments.data[i]);
  agpu__values_push(&operands, agpu__llvm_i64(&at, call->rank));
  size_t next = call->lead;
  for (size_t i = 0; i < call->arrays; ++i, next += (size_t)call->rank)
    agpu__values_push(
        &operands, agpu__stub_array(&at, agpu__i64_type(at.context),
                                    arguments.data + next, (size_t)call->rank));
  for (; next < arguments.count; ++next)
    agpu__values_push(&operands, arguments.data[next]);
  agpu__call_runtime(&at, module, call->function, operands.data, operands.count,
                     (MlirType){NULL});
  agpu__build_effect(&at, "func.return", NULL, 0);
}

/// Appends what all calls end with, and calls. Frees the inputs.
static void finish(agpu__builder *at, MlirOperation module, strided_call *call,
                   MlirValue element_bytes) {
  agpu__values_push(&call->inputs, element_bytes);
  agpu__values_push(&call->inputs, agpu__location_constant(at, module));
  AGPU__OWNED char *name =
      agpu__format("%s.%lld", call->function, (long long)call->rank);
  if (mlirOperationIsNull(agpu__lookup(module, name)))
    fill_stub(module,
              agpu__stub_create(module, at->location, name,
                                agpu__stub_type(&call->inputs)),
              call);
  agpu__build_call(at, name, call->inputs.data, call->inputs.count,
                   (MlirType){NULL});
  agpu__values_free(&call->inputs);
}

void agpu__call_memcpy_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               agpu__view source) {
  strided_call call = {.function = "agpu_memcpy_strided",
                       .lead = 3,
                       .arrays = 4,
                       .rank = (intptr_t)mlirShapedTypeGetRank(target.type)};
  agpu__values_push(&call.inputs, stream);
  agpu__values_push(&call.inputs,
                    agpu__memref_address(at, target.type, target.descriptor));
  agpu__values_push(&call.inputs,
                    agpu__memref_address(at, source.type, source.descriptor));
  push_sizes(at, &call, target);
  push_strides(at, &call, target);
  push_sizes(at, &call, source);
  push_strides(at, &call, source);
  finish(at, module, &call, agpu__memref_element_bytes(at, target.type));
}

void agpu__call_memset_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               MlirValue pattern, int64_t element_bytes) {
  strided_call call = {.function = "agpu_memset_strided",
                       .lead = 3,
                       .arrays = 2,
                       .rank = (intptr_t)mlirShapedTypeGetRank(target.type)};
  agpu__values_push(&call.inputs, stream);
  agpu__values_push(&call.inputs,
                    agpu__memref_address(at, target.type, target.descriptor));
  agpu__values_push(&call.inputs, pattern);
  push_sizes(at, &call, target);
  push_strides(at, &call, target);
  finish(at, module, &call, agpu__llvm_i64(at, element_bytes));
}
