//===- object_types.c - Object types become pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/object_types.h"

#include "lower/ir.h"
#include "lower/payload.h"

#include <stdlib.h>

/// Converts `count` types obtained from `get`; the caller frees the array.
static MlirType *convert_each(MlirType type, intptr_t count,
                              MlirType (*get)(MlirType, intptr_t)) {
  MlirType *types = calloc((size_t)count + 1, sizeof(*types));
  if (!types)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    types[i] = agpu__convert_object_type(get(type, i));
  return types;
}

static MlirType convert_function(MlirType type) {
  intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
  intptr_t result_count = mlirFunctionTypeGetNumResults(type);
  MlirType *inputs = convert_each(type, input_count, mlirFunctionTypeGetInput);
  MlirType *results =
      convert_each(type, result_count, mlirFunctionTypeGetResult);
  MlirType converted = mlirFunctionTypeGet(
      mlirTypeGetContext(type), input_count, inputs, result_count, results);
  free(inputs);
  free(results);
  return converted;
}

static MlirType convert_tuple(MlirType type) {
  intptr_t count = mlirTupleTypeGetNumTypes(type);
  MlirType *types = convert_each(type, count, mlirTupleTypeGetType);
  MlirType converted = mlirTupleTypeGet(mlirTypeGetContext(type), count, types);
  free(types);
  return converted;
}

MlirType agpu__convert_object_type(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirStringRef dialect = mlirDialectGetNamespace(mlirTypeGetDialect(type));
  bool is_async = mlirStringRefEqual(dialect, agpu__str("async"));
  if (agpu__type_is_object(type) ||
      mlirStringRefEqual(dialect, agpu__str("agpu")) ||
      (is_async && agpu__type_has_prefix(type, "!async.coro.handle")))
    return agpu__ptr_type(context);
  if (is_async) // coro.id, coro.state
    return agpu__parse_type(context, "!llvm.token");
  if (mlirTypeIsAFunction(type))
    return convert_function(type);
  if (mlirTypeIsATuple(type))
    return convert_tuple(type);
  return type;
}

/// Most values of a module have one of a few types: each is converted once.
typedef struct type_cache {
  MlirType from[64], to[64];
} type_cache;

static MlirType convert_cached(type_cache *cache, MlirType type) {
  size_t slot = ((uintptr_t)type.ptr >> 4) % 64;
  if (!mlirTypeEqual(cache->from[slot], type)) {
    cache->from[slot] = type;
    cache->to[slot] = agpu__convert_object_type(type);
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

void agpu__convert_object_types(MlirOperation module) {
  type_cache cache = {0};
  mlirOperationWalk(module, convert_op, &cache, MlirWalkPreOrder);

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
