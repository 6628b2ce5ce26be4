//===- writers.c - What the writers of instructions share ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about the attributes of an op whose text is being written, and the
// constants that most texts begin with.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/writers.h"

#include "lower/ir/ir.h"

#include <string.h>

bool agpu__attribute_has(MlirOperation op, const char *name, const char *part) {
  MlirAttribute attribute =
      mlirOperationGetAttributeByName(op, agpu__str(name));
  if (mlirAttributeIsNull(attribute))
    return false;
  agpu__text text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  bool found = strstr(agpu__text_get(&text), part) != NULL;
  agpu__text_free(&text);
  return found;
}

int64_t agpu__number_of(MlirOperation op, const char *name) {
  return mlirIntegerAttrGetValueInt(
      mlirOperationGetAttributeByName(op, agpu__str(name)));
}

void agpu__write_i32(agpu__text *text, const char *name, int64_t value) {
  agpu__text_printf(text, "  %%%s = llvm.mlir.constant(%lld : i32) : i32\n",
                    name, (long long)value);
}
