//===- fold_transposes.c - Transposes of constants ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements are moved as numbers of their size. What was a resource becomes
// one again.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <stdlib.h>

enum { MOST_DIMENSIONS = 16 };

typedef struct transpose {
  MlirAttribute from; ///< a dense attribute, or a resource
  MlirType from_type, type;
  size_t element; ///< bytes
  intptr_t rank;
  int64_t permutation[MOST_DIMENSIONS];
} transpose;

static bool has_elements(MlirType type) {
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeGetDimSize(type, i) == 0)
      return false;
  return true;
}

/// What `op` does, where it can be folded.
static bool read_transpose(MlirOperation op, transpose *out) {
  MlirValue input = mlirOperationGetOperand(op, 0);
  MlirAttribute permutation = agpu__attr(op, "permutation");
  if (mlirOperationGetNumResults(op) != 1 ||
      !agpu__op_is(agpu__maker_of(input), "arith.constant"))
    return false;
  *out = (transpose){.from = agpu__attr(mlirOpResultGetOwner(input), "value"),
                     .from_type = mlirValueGetType(input),
                     .type = mlirValueGetType(agpu__result(op, 0)),
                     .rank = mlirDenseArrayGetNumElements(permutation)};
  MlirType element = mlirShapedTypeGetElementType(out->type);
  bool is_dense = mlirAttributeIsADenseElements(out->from) &&
                  !mlirDenseElementsAttrIsSplat(out->from);
  if (out->rank > MOST_DIMENSIONS ||
      (!is_dense && !mlirAttributeIsADenseResourceElements(out->from)) ||
      !mlirShapedTypeHasStaticShape(out->type) ||
      (!mlirTypeIsAFloat(element) && !mlirTypeIsAInteger(element)))
    return false;
  unsigned bits = mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                                            : mlirIntegerTypeGetWidth(element);
  out->element = bits / 8;
  for (intptr_t i = 0; i < out->rank; ++i)
    out->permutation[i] = mlirDenseI64ArrayGetElement(permutation, i);
  return (bits == 8 || bits == 16 || bits == 32 || bits == 64) &&
         has_elements(out->type) &&
         (is_dense || (agpu__resource_is_there(mlirOpResultGetOwner(input)) &&
                       agpu__resource_read(out->from, element, 0, NULL)));
}

/// Copies elements that are `stride` elements apart.
static void copy_row(char *to, const char *from, int64_t count, int64_t stride,
                     size_t element) {
#define COPY(size)                                                             \
  case size:                                                                   \
    for (int64_t i = 0; i < count; ++i)                                        \
      memcpy(to + i * size, from + i * stride * size, size);                   \
    break
  switch (element) {
    COPY(1);
    COPY(2);
    COPY(4);
    COPY(8);
  default: break;
  }
#undef COPY
}

/// The elements in their new order, of `out_size` bytes. The caller frees them.
static char *move_elements(const transpose *self, size_t *out_size) {
  int64_t strides[MOST_DIMENSIONS], sizes[MOST_DIMENSIONS], count = 1;
  for (intptr_t i = self->rank; i-- > 0;) {
    strides[i] = count;
    count *= mlirShapedTypeGetDimSize(self->from_type, i);
  }
  for (intptr_t i = 0; i < self->rank; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(self->type, i);
  *out_size = (size_t)count * self->element;
  char *to = agpu__allocate((size_t)count, self->element), *read = NULL;
  const char *from;
  if (mlirAttributeIsADenseResourceElements(self->from)) {
    from = read = agpu__allocate((size_t)count, self->element);
    agpu__resource_read(self->from, mlirShapedTypeGetElementType(self->type),
                        count, read);
  } else {
    from = mlirDenseElementsAttrGetRawData(self->from);
  }
  int64_t at[MOST_DIMENSIONS] = {0}, place = 0;
  intptr_t last = self->rank - 1;
  int64_t row = self->rank ? sizes[last] : 1;
  int64_t row_stride = self->rank ? strides[self->permutation[last]] : 1;
  for (int64_t i = 0; i < count; i += row) {
    copy_row(to + (size_t)i * self->element,
             from + (size_t)place * self->element, row, row_stride,
             self->element);
    // The next row's index, and where that is in the constant.
    for (intptr_t k = last; k-- > 0;) {
      int64_t stride = strides[self->permutation[k]];
      place += stride;
      if (++at[k] < sizes[k])
        break;
      place -= stride * sizes[k];
      at[k] = 0;
    }
  }
  free(read);
  return to;
}

static MlirAttribute fold(const transpose *self) {
  size_t size;
  char *data = move_elements(self, &size);
  if (mlirAttributeIsADenseResourceElements(self->from))
    return agpu__resource_make(self->type, "transposed", data, size,
                               self->element);
  MlirAttribute made =
      mlirDenseElementsAttrRawBufferGet(self->type, size, data);
  free(data);
  return made;
}

void agpu__fold_transposes(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (op, module, "linalg.transpose") {
    transpose self;
    if (!read_transpose(op, &self))
      continue;
    agpu__builder before = agpu__builder_before(op);
    MlirValue made = agpu__build_with(&before, "arith.constant", NULL, 0,
                                      self.type, "value", fold(&self));
    agpu__replace_op_by_value(op, made);
  }
}
