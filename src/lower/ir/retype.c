//===- retype.c - Other types for the values of an op -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one walk that changes types in place: of values, and of the attributes in
// which ops keep types. Types are unique in the context, so that each is
// converted once and found again by its address.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Types in types
//===----------------------------------------------------------------------===//

/// The caller frees the array.
static MlirType *retype_each(MlirType type, intptr_t count,
                             MlirType (*get)(MlirType, intptr_t),
                             agpu__retype_fn leaf) {
  MlirType *types = agpu__allocate((size_t)count, sizeof(*types));
  for (intptr_t i = 0; i < count; ++i)
    types[i] = agpu__retype_leaves(get(type, i), leaf);
  return types;
}

MlirType agpu__retype_leaves(MlirType type, agpu__retype_fn leaf) {
  MlirContext context = mlirTypeGetContext(type);
  if (mlirTypeIsAFunction(type)) {
    intptr_t input_count = mlirFunctionTypeGetNumInputs(type);
    intptr_t result_count = mlirFunctionTypeGetNumResults(type);
    AGPU__OWNED MlirType *inputs =
        retype_each(type, input_count, mlirFunctionTypeGetInput, leaf);
    AGPU__OWNED MlirType *results =
        retype_each(type, result_count, mlirFunctionTypeGetResult, leaf);
    type = mlirFunctionTypeGet(context, input_count, inputs, result_count,
                               results);
    return type;
  }
  if (mlirTypeIsATuple(type)) {
    intptr_t count = mlirTupleTypeGetNumTypes(type);
    AGPU__OWNED MlirType *types =
        retype_each(type, count, mlirTupleTypeGetType, leaf);
    type = mlirTupleTypeGet(context, count, types);
    return type;
  }
  return leaf(type);
}

//===----------------------------------------------------------------------===//
// Types of values and ops
//===----------------------------------------------------------------------===//

/// Types met so far, numbered, and what each becomes.
typedef struct type_map {
  agpu__retype_fn retype;
  agpu__map numbers;
  MlirType *to;
  size_t capacity;
} type_map;

static MlirType map_type(type_map *map, MlirType type) {
  size_t known = agpu__map_get(&map->numbers, type.ptr);
  if (known != AGPU__MAP_NONE)
    return map->to[known];
  size_t number = map->numbers.count;
  AGPU__GROW(map->to, number, map->capacity);
  map->to[number] = map->retype(type);
  agpu__map_set(&map->numbers, type.ptr, number);
  return map->to[number];
}

static void map_value(MlirOperation op, MlirValue value, void *data) {
  (void)op;
  MlirType type = mlirValueGetType(value);
  MlirType to = map_type(data, type);
  if (!mlirTypeEqual(type, to))
    mlirValueSetType(value, to);
}

/// Types that ops keep in attributes.
static MlirWalkResult map_attributes(MlirOperation op, void *data) {
  static const char *const names[] = {"elem_type", "function_type",
                                      "global_type", "type", "var_callee_type"};
  for (size_t i = 0; i < AGPU__COUNT(names); ++i) {
    MlirAttribute attribute = agpu__attr(op, names[i]);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute))
      continue;
    MlirType type = mlirTypeAttrGetValue(attribute);
    MlirType to = map_type(data, type);
    if (!mlirTypeEqual(type, to))
      agpu__set_attr(op, names[i], mlirTypeAttrGet(to));
  }
  return MlirWalkResultAdvance;
}

void agpu__retype(MlirOperation root, agpu__retype_fn retype) {
  type_map map = {.retype = retype};
  agpu__each_value(root, map_value, &map);
  mlirOperationWalk(root, map_attributes, &map, MlirWalkPreOrder);
  agpu__map_free(&map.numbers);
  free(map.to);
}

void agpu__drop_idle_casts(MlirOperation root, const char *cast) {
  AGPU__OPS_IN_FOREACH (nested, root, cast) {
    if (mlirOperationGetNumOperands(nested) != 1 ||
        mlirOperationGetNumResults(nested) != 1)
      continue;
    MlirValue from = mlirOperationGetOperand(nested, 0);
    MlirValue to = agpu__result(nested, 0);
    if (!mlirTypeEqual(mlirValueGetType(from), mlirValueGetType(to)))
      continue;
    mlirValueReplaceAllUsesOfWith(to, from);
    mlirOperationDestroy(nested);
  }
}
