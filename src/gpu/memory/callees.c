//===- callees.c - Callees of a call -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are looked up in tables of symbols, one for each module: what
// stands in a gpu.module calls functions of that module.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include <stdlib.h>

/// The op of that name in a gpu.module.
static MlirOperation find_in(agpu__summaries *self, MlirOperation module,
                             MlirStringRef name) {
  size_t number = agpu__map_get(&self->modules, module.ptr);
  if (number == AGPU__MAP_NONE) {
    number = self->table_count++;
    self->tables =
        realloc(self->tables, self->table_count * sizeof(*self->tables));
    if (!self->tables)
      agpu__out_of_memory();
    self->tables[number] = mlirSymbolTableCreate(module);
    agpu__map_set(&self->modules, module.ptr, number);
  }
  return mlirSymbolTableLookup(self->tables[number], name);
}

static MlirOperation find_kernel(agpu__summaries *self, MlirAttribute symbol) {
  MlirOperation none = {NULL};
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsASymbolRef(symbol))
    return none;
  MlirOperation module = mlirSymbolTableLookup(
      self->symbols, mlirSymbolRefAttrGetRootReference(symbol));
  if (!agpu__op_is(module, "gpu.module"))
    return none;
  MlirOperation kernel =
      find_in(self, module, mlirSymbolRefAttrGetLeafReference(symbol));
  return agpu__op_is(kernel, "gpu.func") ? kernel : none;
}

MlirOperation agpu__callee_of(agpu__summaries *summaries, MlirOperation call) {
  MlirOperation none = {NULL};
  if (agpu__op_is(call, "gpu.launch_func"))
    return find_kernel(summaries, agpu__attr(call, "kernel"));
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return none;
  // What stands in a gpu.module calls functions of that module.
  MlirOperation module = agpu__parent_of(call, "gpu.module");
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  MlirOperation function = mlirOperationIsNull(module)
                               ? mlirSymbolTableLookup(summaries->symbols, name)
                               : find_in(summaries, module, name);
  return !agpu__op_is(function, "func.func") || agpu__is_declaration(function)
             ? none
             : function;
}
