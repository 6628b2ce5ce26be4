//===- object_types.c - Object types become pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/ir/object_types.h"

#include "lower/ir/ir.h"
#include "lower/ir/payload.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

/// What a single type becomes; the type itself where nothing changes.
typedef MlirType (*type_function)(MlirType type);

static MlirType *convert_each(MlirType type, intptr_t count,
                              MlirType (*get)(MlirType, intptr_t),
                              type_function leaf);

/// `leaf` of a type, and of the types that a function or tuple type holds.
static MlirType convert(MlirType type, type_function leaf) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAFunction(type)) {
    intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
    intptr_t result_count = mlirFunctionTypeGetNumResults(type);
    MlirType *inputs =
        convert_each(type, input_count, mlirFunctionTypeGetInput, leaf);
    MlirType *results =
        convert_each(type, result_count, mlirFunctionTypeGetResult, leaf);
    type = mlirFunctionTypeGet(context, input_count, inputs, result_count,
                               results);
    free(inputs);
    free(results);
    return type;
  }
  if (mlirTypeIsATuple(type)) {
    intptr_t count = mlirTupleTypeGetNumTypes(type);
    MlirType *types = convert_each(type, count, mlirTupleTypeGetType, leaf);
    type = mlirTupleTypeGet(context, count, types);
    free(types);
    return type;
  }
  return leaf(type);
}

/// The caller frees the array.
static MlirType *convert_each(MlirType type, intptr_t count,
                              MlirType (*get)(MlirType, intptr_t),
                              type_function leaf) {
  MlirType *types = calloc((size_t)count + 1, sizeof(*types));
  if (!types)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    types[i] = convert(get(type, i), leaf);
  return types;
}

static MlirType object_to_pointer(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirStringRef dialect = mlirDialectGetNamespace(mlirTypeGetDialect(type));
  bool is_async = mlirStringRefEqual(dialect, agpu__str("async"));
  if (agpu__type_is_object(type) ||
      mlirStringRefEqual(dialect, agpu__str("agpu")) ||
      (is_async && agpu__type_has_prefix(type, "!async.coro.handle")))
    return agpu__ptr_type(context);
  if (is_async) // coro.id, coro.state
    return agpu__parse_type(context, "!llvm.token");
  return type;
}

static MlirType gpu_token_to_token(MlirType type) {
  if (mlirTypeIsAGPUAsyncTokenType(type))
    return agpu__parse_type(mlirTypeGetContext(type), "!async.token");
  MlirType payload = agpu__async_value_payload(type);
  if (mlirTypeIsNull(payload))
    return type;
  MlirType converted = convert(payload, gpu_token_to_token);
  return mlirTypeEqual(payload, converted) ? type
                                           : agpu__async_value_get(converted);
}

MlirType agpu__convert_object_type(MlirType type) {
  return convert(type, object_to_pointer);
}

/// Most values of a module have one of a few types: each is converted once.
typedef struct type_cache {
  type_function leaf;
  MlirType from[64], to[64];
} type_cache;

static MlirType convert_cached(type_cache *cache, MlirType type) {
  size_t slot = ((uintptr_t)type.ptr >> 4) % 64;
  if (!mlirTypeEqual(cache->from[slot], type)) {
    cache->from[slot] = type;
    cache->to[slot] = convert(type, cache->leaf);
  }
  return cache->to[slot];
}

static MlirWalkResult convert_op(MlirOperation op, void *user_data) {
  type_cache *cache = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueSetType(result, convert_cached(cache, mlirValueGetType(result)));
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        mlirBlockArgumentSetType(
            argument, convert_cached(cache, mlirValueGetType(argument)));
      }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    if (!mlirAttributeIsAType(attribute.attribute))
      continue;
    MlirType type = mlirTypeAttrGetValue(attribute.attribute);
    MlirType converted = convert_cached(cache, type);
    if (!mlirTypeEqual(type, converted))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(attribute.name),
                                      mlirTypeAttrGet(converted));
  }
  return MlirWalkResultAdvance;
}

/// Removes casts from a type to itself.
static void remove_casts(MlirOperation module) {
  agpu__ops casts = {0};
  agpu__collect(module, "builtin.unrealized_conversion_cast", &casts);
  for (size_t i = 0; i < casts.count; ++i) {
    MlirOperation cast = casts.data[i];
    if (mlirOperationGetNumOperands(cast) != 1 ||
        mlirOperationGetNumResults(cast) != 1)
      continue;
    MlirValue from = mlirOperationGetOperand(cast, 0);
    MlirValue to = mlirOperationGetResult(cast, 0);
    if (mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to))) {
      mlirValueReplaceAllUsesOfWith(to, from);
      mlirOperationDestroy(cast);
    }
  }
  agpu__ops_free(&casts);
}

void agpu__convert_object_types(MlirOperation module) {
  type_cache cache = {.leaf = object_to_pointer};
  mlirOperationWalk(module, convert_op, &cache, MlirWalkPreOrder);
  remove_casts(module);
}

void agpu__unify_token_types(MlirOperation module) {
  type_cache cache = {.leaf = gpu_token_to_token};
  mlirOperationWalk(module, convert_op, &cache, MlirWalkPreOrder);
  remove_casts(module);
}
