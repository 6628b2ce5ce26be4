//===- resources.c - Constants that are resources -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends keep weights in resources. They are read through the C API's
// functions for one element each, and what is made of them is a resource again:
// MLIR's context copies and hashes all other constants.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/resources.h"

#include "lower/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

bool agpu__resource_read(MlirAttribute from, MlirType element, intptr_t index,
                         void *out) {
  if (mlirTypeIsAF32(element)) {
    float value = mlirDenseFloatResourceElementsAttrGetValue(from, index);
    memcpy(out, &value, sizeof(value));
  } else if (mlirTypeIsAF64(element)) {
    double value = mlirDenseDoubleResourceElementsAttrGetValue(from, index);
    memcpy(out, &value, sizeof(value));
  } else if (mlirTypeIsAInteger(element) &&
             mlirIntegerTypeIsSignless(element)) {
    int64_t value;
    switch (mlirIntegerTypeGetWidth(element)) {
    case 8:
      value = mlirDenseInt8ResourceElementsAttrGetValue(from, index);
      break;
    case 16:
      value = mlirDenseInt16ResourceElementsAttrGetValue(from, index);
      break;
    case 32:
      value = mlirDenseInt32ResourceElementsAttrGetValue(from, index);
      break;
    case 64:
      value = mlirDenseInt64ResourceElementsAttrGetValue(from, index);
      break;
    default: return false;
    }
    // The low bytes come first on all hosts that LLVM has a JIT for here.
    memcpy(out, &value, mlirIntegerTypeGetWidth(element) / 8);
  } else {
    return false;
  }
  return true;
}

/// Keeps the beginning of what is printed.
static void keep_beginning(MlirStringRef piece, void *data) {
  agpu__text *text = data;
  if (text->size < 8192)
    agpu__text_append(text, piece.data, piece.length);
}

// The C API cannot be asked, but prints those of an op that stands alone.
bool agpu__resource_is_there(MlirOperation op) {
  MlirOperation alone = mlirOperationClone(op);
  agpu__text text = {0};
  mlirOperationPrint(alone, keep_beginning, &text);
  bool found = strstr(agpu__text_get(&text), "dialect_resources") != NULL;
  agpu__text_free(&text);
  mlirOperationDestroy(alone);
  return found;
}

static void free_resource(void *self, const void *data, size_t size,
                          size_t alignment) {
  (void)data, (void)size, (void)alignment;
  free(self);
}

MlirAttribute agpu__resource_make(MlirType type, const char *name, char *data,
                                  size_t size, size_t alignment) {
  return mlirUnmanagedDenseResourceElementsAttrGet(
      type, agpu__str(name), data, size, alignment, false, free_resource, data);
}
