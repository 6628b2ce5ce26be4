//===- order_constants.c - Constants in the order of their uses -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name is a stem, `__constant_2xi64`, and a number where the stem is taken.
// Attributes are unique in a context: their addresses are the keys of the maps.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <ctype.h>
#include <stdlib.h>

agpu__map agpu__symbols_named(MlirOperation module) {
  agpu__map names = {0};
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, NULL);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirAttribute name = agpu__attr(ops.data[i], "sym_name");
    if (!mlirAttributeIsNull(name))
      agpu__map_set(&names, name.ptr, i);
  }
  return names;
}

/// What the name of a global is called by those that read it.
static MlirAttribute reference_to(MlirOperation global) {
  return mlirFlatSymbolRefAttrGet(mlirOperationGetContext(global),
                                  agpu__get_string(global, "sym_name"));
}

/// A name like `now` that is not in `taken`: the stem, or the stem and the
/// first number that `next` has for it.
static MlirAttribute pick_name(MlirAttribute now, const agpu__map *taken,
                               agpu__map *next) {
  MlirContext context = mlirAttributeGetContext(now);
  MlirStringRef text = mlirStringAttrGetValue(now);
  size_t length = text.length;
  while (length && isdigit((unsigned char)text.data[length - 1]))
    --length;
  bool has_number =
      length > 1 && length < text.length && text.data[length - 1] == '_';
  MlirAttribute stem = mlirStringAttrGet(
      context,
      mlirStringRefCreate(text.data, has_number ? length - 1 : text.length));
  MlirStringRef start = mlirStringAttrGetValue(stem);
  for (;;) {
    size_t number = agpu__map_get(next, stem.ptr);
    MlirAttribute name = stem;
    if (number != AGPU__MAP_NONE) {
      AGPU__OWNED char *numbered =
          agpu__format("%.*s_%zu", AGPU__STR(start), number);
      name = mlirStringAttrGet(context, agpu__str(numbered));
    }
    agpu__map_set(next, stem.ptr, number == AGPU__MAP_NONE ? 0 : number + 1);
    if (agpu__map_get(taken, name.ptr) == AGPU__MAP_NONE)
      return name;
  }
}

void agpu__order_constants(MlirOperation module, const agpu__map *before) {
  AGPU__SCOPED(ops) globals = agpu__ops_in(module, "memref.global");
  AGPU__SCOPED(ops) readers = agpu__ops_in(module, "memref.get_global");
  AGPU__SCOPED(map) made = {0}, next = {0};
  for (size_t i = 0; i < globals.count; ++i)
    if (agpu__map_get(before, agpu__attr(globals.data[i], "sym_name").ptr) ==
        AGPU__MAP_NONE)
      agpu__map_set(&made, reference_to(globals.data[i]).ptr, i);
  MlirOperation front = mlirBlockGetFirstOperation(agpu__module_body(module));
  AGPU__OWNED MlirAttribute *references =
      agpu__allocate(globals.count, sizeof *references);
  for (size_t i = 0; i < readers.count; ++i) {
    MlirAttribute reference = agpu__attr(readers.data[i], "name");
    size_t k = agpu__map_get(&made, reference.ptr);
    if (k == AGPU__MAP_NONE)
      continue;
    MlirOperation global = globals.data[k];
    if (mlirAttributeIsNull(references[k])) {
      agpu__set_attr(global, "sym_name",
                     pick_name(agpu__attr(global, "sym_name"), before, &next));
      references[k] = reference_to(global);
      if (mlirOperationEqual(global, front))
        front = mlirOperationGetNextInBlock(front);
      else
        mlirOperationMoveBefore(global, front);
    }
    agpu__set_attr(readers.data[i], "name", references[k]);
  }
  for (size_t i = 0; i < globals.count; ++i)
    if (mlirAttributeIsNull(references[i]) &&
        agpu__map_get(&made, reference_to(globals.data[i]).ptr) == i)
      mlirOperationDestroy(globals.data[i]);
}
