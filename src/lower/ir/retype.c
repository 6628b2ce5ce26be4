//===- retype.c - Other types for the values of an op -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/ir/retype.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

/// Types met so far. A module has few, and they are unique in the context, so
/// that a search by address is all that is needed.
typedef struct type_map {
  agpu__retype_fn retype;
  MlirType *from, *to;
  size_t count, capacity;
} type_map;

static MlirType map_type(type_map *map, MlirType type) {
  for (size_t i = 0; i < map->count; ++i)
    if (mlirTypeEqual(map->from[i], type))
      return map->to[i];
  if (map->count == map->capacity) {
    map->capacity = map->capacity ? 2 * map->capacity : 16;
    map->from = realloc(map->from, map->capacity * sizeof(*map->from));
    map->to = realloc(map->to, map->capacity * sizeof(*map->to));
    if (!map->from || !map->to)
      abort();
  }
  MlirType to = map->retype(type);
  map->from[map->count] = type;
  map->to[map->count++] = to;
  return to;
}

static void map_value(type_map *map, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType to = map_type(map, type);
  if (!mlirTypeEqual(type, to))
    mlirValueSetType(value, to);
}

/// Types that ops keep in attributes.
static void map_attributes(type_map *map, MlirOperation op) {
  static const char *const names[] = {"elem_type", "function_type",
                                      "global_type", "type", "var_callee_type"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    MlirStringRef name = agpu__str(names[i]);
    MlirAttribute attribute = mlirOperationGetAttributeByName(op, name);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute))
      continue;
    MlirType type = mlirTypeAttrGetValue(attribute);
    MlirType to = map_type(map, type);
    if (!mlirTypeEqual(type, to))
      mlirOperationSetAttributeByName(op, name, mlirTypeAttrGet(to));
  }
}

static MlirWalkResult visit(MlirOperation op, void *data) {
  type_map *map = data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    map_value(map, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block =
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        map_value(map, mlirBlockGetArgument(block, i));
  map_attributes(map, op);
  return MlirWalkResultAdvance;
}

void agpu__retype(MlirOperation root, agpu__retype_fn retype) {
  type_map map = {.retype = retype};
  mlirOperationWalk(root, visit, &map, MlirWalkPreOrder);
  free(map.from);
  free(map.to);
}
