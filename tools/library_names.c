//===- library_names.c - Functions that replace the C library's -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic linker looks a name up in the executable first. A program with a
// public function 'send' gives it to every library that calls send(2), which
// fails far from the program's text. Which names those are, the C library of
// this machine is asked: a list would be another version's.
//
//===----------------------------------------------------------------------===//

#include "library_names.h"

#include "lower/ir/ir.h"
#include "lower/pass/diagnostics.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool is_defined(void *const libraries[], size_t count,
                       const char *name) {
  for (size_t i = 0; i < count; ++i)
    if (libraries[i] && dlsym(libraries[i], name))
      return true;
  return false;
}

/// Functions of the LLVM dialect say it by their linkage.
static bool has_local_linkage(MlirOperation op) {
  agpu__text text = {0};
  MlirAttribute linkage =
      mlirOperationGetAttributeByName(op, agpu__str("linkage"));
  if (!mlirAttributeIsNull(linkage))
    mlirAttributePrint(linkage, agpu__text_callback, &text);
  bool local = strstr(agpu__text_get(&text), "<internal>") ||
               strstr(agpu__text_get(&text), "<private>");
  agpu__text_free(&text);
  return local;
}

/// A function that other objects can see.
static bool is_exported(MlirOperation op) {
  if (!agpu__has_attr(op, "function_type") ||
      mlirOperationGetNumRegions(op) != 1 ||
      mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))))
    return false;
  MlirStringRef visibility = agpu__get_string(op, "sym_visibility");
  bool is_public =
      !visibility.length || mlirStringRefEqual(visibility, agpu__str("public"));
  return is_public && !has_local_linkage(op);
}

void agpu__library_names_check(MlirOperation module) {
  void *libraries[] = {dlopen("libc.so.6", RTLD_LAZY),
                       dlopen("libm.so.6", RTLD_LAZY)};
  size_t count = sizeof(libraries) / sizeof(*libraries);
  MlirBlock body = agpu__module_body(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!is_exported(op))
      continue;
    MlirStringRef symbol =
        mlirStringAttrGetValue(mlirOperationGetAttributeByName(
            op, mlirSymbolTableGetSymbolAttributeName()));
    char *name = agpu__format("%.*s", (int)symbol.length, symbol.data);
    if (strcmp(name, "main") != 0 && is_defined(libraries, count, name))
      agpu__warning(mlirOperationGetLocation(op),
                    "the C library has a '%s', too, and all libraries of the "
                    "process would call this one: make it private or rename it",
                    name);
    free(name);
  }
  for (size_t i = 0; i < count; ++i)
    if (libraries[i])
      dlclose(libraries[i]);
}
