//===- address_space.c - One address space --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/address_space.h"

#include "lower/ir.h"
#include "lower/text.h"

#include "mlir-c/BuiltinAttributes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/// Types met so far. A module has few, and they are unique in the context, so
/// that a search by address is all that is needed.
typedef struct type_map {
  MlirType *from, *to;
  size_t count, capacity;
} type_map;

/// `type` without address spaces. Pointers can stand anywhere in a type
/// (memref descriptors, function types); the C API has no way to rebuild every
/// kind, so the spelling is edited: `ptr<1>` becomes `ptr`.
static MlirType flatten_type(MlirType type) {
  agpu__text text = {0}, flat = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  const char *rest = agpu__text_get(&text);
  bool changed = false;
  for (const char *hit; (hit = strstr(rest, "ptr<"));) {
    const char *end = hit + strlen("ptr<");
    while (isdigit((unsigned char)*end))
      ++end;
    agpu__text_append(&flat, rest, (size_t)(hit - rest) + strlen("ptr"));
    // Anything else in the brackets is not an address space.
    bool number = *end == '>' && end > hit + strlen("ptr<");
    changed |= number;
    rest = number ? end + 1 : hit + strlen("ptr");
  }
  if (changed) {
    agpu__text_puts(&flat, rest);
    type = agpu__parse_type(mlirTypeGetContext(type), agpu__text_get(&flat));
  }
  agpu__text_free(&text);
  agpu__text_free(&flat);
  return type;
}

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
  MlirType flat = flatten_type(type);
  map->from[map->count] = type;
  map->to[map->count++] = flat;
  return flat;
}

static void map_value(type_map *map, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType flat = map_type(map, type);
  if (!mlirTypeEqual(type, flat))
    mlirValueSetType(value, flat);
}

/// Types that ops of the LLVM dialect keep in attributes.
static void map_attributes(type_map *map, MlirOperation op) {
  static const char *const names[] = {"elem_type", "function_type",
                                      "global_type", "var_callee_type"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    MlirStringRef name = agpu__str(names[i]);
    MlirAttribute attribute = mlirOperationGetAttributeByName(op, name);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute))
      continue;
    MlirType type = mlirTypeAttrGetValue(attribute);
    MlirType flat = map_type(map, type);
    if (!mlirTypeEqual(type, flat))
      mlirOperationSetAttributeByName(op, name, mlirTypeAttrGet(flat));
  }
  if (agpu__op_is(op, "llvm.mlir.global"))
    mlirOperationSetAttributeByName(
        op, agpu__str("addr_space"),
        agpu__i32_attr(mlirOperationGetContext(op), 0));
}

static MlirWalkResult flatten_op(MlirOperation op, void *data) {
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

void agpu__flatten_address_spaces(MlirOperation root) {
  type_map map = {0};
  mlirOperationWalk(root, flatten_op, &map, MlirWalkPreOrder);
  free(map.from);
  free(map.to);

  agpu__ops casts = {0};
  agpu__collect(root, "llvm.addrspacecast", &casts);
  for (size_t i = 0; i < casts.count; ++i) {
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(casts.data[i], 0),
                                  mlirOperationGetOperand(casts.data[i], 0));
    mlirOperationDestroy(casts.data[i]);
  }
  agpu__ops_free(&casts);
}
