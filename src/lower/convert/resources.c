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

#include "lower/convert/convert.h"

#include <stdlib.h>

/// Reads elements of a C type with the C API's function for them.
#define READ_ALL(type, get)                                                    \
  for (intptr_t i = 0; i < count; ++i)                                         \
  ((type *)out)[i] = (type)get(from, i)

bool agpu__resource_read(MlirAttribute from, MlirType element, intptr_t count,
                         void *out) {
  unsigned bits =
      mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element)
          ? mlirIntegerTypeGetWidth(element)
          : 0;
  if (mlirTypeIsAF32(element))
    READ_ALL(float, mlirDenseFloatResourceElementsAttrGetValue);
  else if (mlirTypeIsAF64(element))
    READ_ALL(double, mlirDenseDoubleResourceElementsAttrGetValue);
  else if (bits == 8)
    READ_ALL(int8_t, mlirDenseInt8ResourceElementsAttrGetValue);
  else if (bits == 16)
    READ_ALL(int16_t, mlirDenseInt16ResourceElementsAttrGetValue);
  else if (bits == 32)
    READ_ALL(int32_t, mlirDenseInt32ResourceElementsAttrGetValue);
  else if (bits == 64)
    READ_ALL(int64_t, mlirDenseInt64ResourceElementsAttrGetValue);
  else
    return false;
  return true;
}

// The C API cannot be asked, but says which resources an op that stands alone
// has when it prints it, also where their contents are left out.
bool agpu__resource_is_there(MlirOperation op) {
  MlirOperation alone = mlirOperationClone(op);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsElideLargeResourceString(flags, 0);
  AGPU__SCOPED(text) text = {0};
  mlirOperationPrintWithFlags(alone, flags, agpu__text_callback, &text);
  bool found = strstr(agpu__text_get(&text), "\n{-#") != NULL;
  mlirOpPrintingFlagsDestroy(flags);
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
