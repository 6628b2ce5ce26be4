//===- byte_constants.c - Constants as bytes ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a constant are copied once, for all globals that have it,
// into a resource of bytes. Values whose bytes MLIR does not have as they lie
// in memory (splats, numbers of other widths) stay.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Smaller constants stay, which passes of LLVM compute with.
enum { LEAST_BYTES = 1024 };

/// Constants that were made bytes: globals of host and kernels share them.
typedef struct made {
  MlirAttribute from, to; ///< a null attribute: it stays
} made;

typedef struct made_list {
  made *data;
  size_t count, capacity;
} made_list;

static unsigned bits_of(MlirType element) {
  return mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                   : mlirIntegerTypeGetWidth(element);
}

/// The elements of `from`, one behind the other. The caller frees them; NULL:
/// they cannot be read.
static char *copy_elements(MlirOperation global, MlirAttribute from,
                           MlirType element, size_t count, size_t bytes) {
  bool is_resource = mlirAttributeIsADenseResourceElements(from);
  if (is_resource && !agpu__resource_is_there(global))
    return NULL;
  char *data = agpu__allocate(count, bytes);
  if (!is_resource)
    memcpy(data, mlirDenseElementsAttrGetRawData(from), count * bytes);
  else if (!agpu__resource_read(from, element, (intptr_t)count, data)) {
    free(data);
    return NULL;
  }
  return data;
}

/// The constant of a global as bytes; a null attribute where it stays.
static MlirAttribute read_bytes(MlirOperation global, MlirAttribute from) {
  if (!mlirAttributeIsADenseResourceElements(from) &&
      (!mlirAttributeIsADenseElements(from) ||
       mlirDenseElementsAttrIsSplat(from)))
    return (MlirAttribute){NULL};
  MlirType type = mlirAttributeGetType(from);
  MlirType element = mlirShapedTypeGetElementType(type);
  if (!mlirTypeIsARankedTensor(type) ||
      (!mlirTypeIsAFloat(element) && !mlirTypeIsAInteger(element)))
    return (MlirAttribute){NULL};
  unsigned bits = bits_of(element);
  int64_t count = mlirElementsAttrGetNumElements(from), size = count * bits / 8;
  if (size < LEAST_BYTES ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return (MlirAttribute){NULL};
  char *data = copy_elements(global, from, element, (size_t)count, bits / 8);
  if (!data)
    return (MlirAttribute){NULL};
  MlirContext context = mlirAttributeGetContext(from);
  MlirType flat = mlirRankedTensorTypeGet(
      1, &size, mlirIntegerTypeGet(context, 8), mlirAttributeGetNull());
  return agpu__resource_make(flat, "bytes", data, (size_t)size, 1);
}

/// What LLVM takes where a global says nothing.
static MlirAttribute natural_alignment(MlirAttribute value) {
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(value));
  return mlirIntegerAttrGet(
      mlirIntegerTypeGet(mlirAttributeGetContext(value), 64),
      bits_of(element) / 8);
}

static MlirAttribute find_or_read(made_list *list, MlirOperation global,
                                  MlirAttribute from) {
  for (size_t i = 0; i < list->count; ++i)
    if (mlirAttributeEqual(list->data[i].from, from))
      return list->data[i].to;
  MlirAttribute to = read_bytes(global, from);
  AGPU__GROW(list->data, list->count, list->capacity);
  list->data[list->count++] = (made){from, to};
  return to;
}

void agpu__constants_to_bytes(MlirOperation module) {
  made_list list = {0};
  AGPU__OPS_IN_FOREACH (nested, module, "llvm.mlir.global") {
    MlirAttribute value = agpu__attr(nested, "value");
    if (mlirAttributeIsNull(value))
      continue;
    MlirAttribute bytes = find_or_read(&list, nested, value);
    if (mlirAttributeIsNull(bytes))
      continue;
    if (!agpu__has_attr(nested, "alignment"))
      agpu__set_attr(nested, "alignment", natural_alignment(value));
    MlirType array = mlirLLVMArrayTypeGet(
        mlirShapedTypeGetElementType(mlirAttributeGetType(bytes)),
        (unsigned)mlirElementsAttrGetNumElements(bytes));
    agpu__set_attr(nested, "value", bytes);
    agpu__set_attr(nested, "global_type", mlirTypeAttrGet(array));
  }
  free(list.data);
}

//===----------------------------------------------------------------------===//
// Constants that are resources
//
// Front ends keep weights in resources. They are read through the C API's
// functions for one element each, and what is made of them is a resource again:
// MLIR's context copies and hashes all other constants.
//===----------------------------------------------------------------------===//

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
