//===- memref_parts.c - What a memref descriptor holds -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/memref_parts.h"

#include "lower/llvm_ops.h"
#include "lower/payload.h"
#include "lower/text.h"

#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Fields of a descriptor.
enum { ALLOCATED, ALIGNED, OFFSET, SIZES, STRIDES };

static MlirAttribute position(MlirContext context, int64_t index,
                              int64_t element) {
  int64_t path[] = {index, element};
  return mlirDenseI64ArrayGet(context, element < 0 ? 1 : 2, path);
}

MlirValue agpu__extract(agpu__builder *at, MlirValue structure, int64_t index,
                        int64_t element, MlirType type) {
  MlirNamedAttribute where = agpu__named(at->context, "position",
                                         position(at->context, index, element));
  return agpu__result(
      agpu__build_op(at, "llvm.extractvalue", &structure, 1, type, &where, 1),
      0);
}

static MlirValue insert(agpu__builder *at, MlirValue structure, MlirValue value,
                        int64_t index, int64_t element) {
  MlirValue operands[] = {structure, value};
  MlirNamedAttribute where = agpu__named(at->context, "position",
                                         position(at->context, index, element));
  return agpu__result(agpu__build_op(at, "llvm.insertvalue", operands, 2,
                                     mlirValueGetType(structure), &where, 1),
                      0);
}

static MlirValue cast(agpu__builder *at, MlirValue value, MlirType type) {
  return agpu__result(agpu__build_op(at, "builtin.unrealized_conversion_cast",
                                     &value, 1, type, NULL, 0),
                      0);
}

MlirValue agpu__memref_descriptor(agpu__builder *at, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  MlirType lowered = agpu__payload_type(type);
  bool has_element =
      !mlirTypeIsNull(agpu__payload_type(mlirShapedTypeGetElementType(type)));
  if (mlirTypeIsNull(lowered) || !has_element) {
    agpu__text text = {0};
    mlirTypePrint(type, agpu__text_callback, &text);
    agpu__error(at->location, "%s cannot be lowered in host code: %s",
                agpu__text_get(&text),
                has_element ? "its memory space has no meaning there; use the "
                              "default or a numbered one"
                            : "its element type has no LLVM type");
    agpu__text_free(&text);
    return (MlirValue){NULL};
  }
  return cast(at, memref, lowered);
}

bool agpu__memref_is_contiguous(MlirType type) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *strides = calloc((size_t)rank + 1, sizeof(*strides));
  if (!strides)
    abort();
  int64_t offset;
  bool contiguous = mlirLogicalResultIsSuccess(
      mlirMemRefTypeGetStridesAndOffset(type, strides, &offset));
  bool identity = mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
  int64_t expected = 1;
  for (intptr_t i = rank - 1; i >= 0 && contiguous && !identity; --i) {
    // A dimension of one element may have any stride.
    bool is_static = !mlirShapedTypeIsDynamicDim(type, i);
    int64_t size = is_static ? mlirShapedTypeGetDimSize(type, i) : 0;
    if (is_static && size == 1)
      continue;
    contiguous = !mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) &&
                 strides[i] == expected && expected != 0;
    expected = is_static ? expected * size : 0; // 0: no static stride fits
  }
  free(strides);
  return contiguous;
}

MlirValue agpu__memref_element_bytes(agpu__builder *at, MlirType type) {
  return agpu__llvm_size_of(
      at, agpu__payload_type(mlirShapedTypeGetElementType(type)));
}

/// The descriptor's pointer in the default address space.
static MlirValue pointer_field(agpu__builder *at, MlirType type,
                               MlirValue descriptor, int64_t field) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  unsigned number = mlirAttributeIsNull(space)
                        ? 0
                        : (unsigned)mlirIntegerAttrGetValueInt(space);
  MlirValue pointer = agpu__extract(
      at, descriptor, field, -1, mlirLLVMPointerTypeGet(at->context, number));
  if (number == 0)
    return pointer;
  return agpu__result(agpu__build_op(at, "llvm.addrspacecast", &pointer, 1,
                                     agpu__ptr_type(at->context), NULL, 0),
                      0);
}

MlirValue agpu__memref_allocated(agpu__builder *at, MlirType type,
                                 MlirValue descriptor) {
  return pointer_field(at, type, descriptor, ALLOCATED);
}

MlirValue agpu__memref_address(agpu__builder *at, MlirType type,
                               MlirValue descriptor) {
  MlirValue base = pointer_field(at, type, descriptor, ALIGNED);
  MlirValue offset =
      agpu__extract(at, descriptor, OFFSET, -1, agpu__i64_type(at->context));
  MlirValue operands[] = {base, offset};
  int32_t dynamic = INT32_MIN; // "the next operand"
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type",
                  mlirTypeAttrGet(
                      agpu__payload_type(mlirShapedTypeGetElementType(type)))),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &dynamic)),
  };
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", operands, 2,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

bool agpu__memref_is_strided(MlirType type) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *strides = calloc((size_t)rank + 1, sizeof(*strides));
  if (!strides)
    abort();
  int64_t offset;
  bool strided = mlirLogicalResultIsSuccess(
      mlirMemRefTypeGetStridesAndOffset(type, strides, &offset));
  free(strides);
  return strided;
}

bool agpu__memref_has_static_shape(MlirType type) {
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      return false;
  return true;
}

MlirValue agpu__memref_stride(agpu__builder *at, MlirValue descriptor,
                              intptr_t dimension) {
  return agpu__extract(at, descriptor, STRIDES, dimension,
                       agpu__i64_type(at->context));
}

MlirValue agpu__memref_size(agpu__builder *at, MlirType type,
                            MlirValue descriptor, intptr_t dimension) {
  if (!mlirShapedTypeIsDynamicDim(type, dimension))
    return agpu__llvm_i64(at, mlirShapedTypeGetDimSize(type, dimension));
  return agpu__extract(at, descriptor, SIZES, dimension,
                       agpu__i64_type(at->context));
}

MlirValue agpu__memref_count(agpu__builder *at, MlirType type,
                             MlirValue descriptor) {
  MlirValue count = agpu__llvm_i64(at, 1);
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    count = agpu__llvm_binary(at, "llvm.mul", count,
                              agpu__memref_size(at, type, descriptor, i));
  return count;
}

MlirValue agpu__memref_make(agpu__builder *at, MlirType type, MlirValue pointer,
                            const MlirValue *sizes) {
  MlirType lowered = agpu__payload_type(type);
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  if (!mlirAttributeIsNull(space) && mlirIntegerAttrGetValueInt(space) != 0)
    pointer = agpu__result(
        agpu__build_op(
            at, "llvm.addrspacecast", &pointer, 1,
            mlirLLVMPointerTypeGet(at->context,
                                   (unsigned)mlirIntegerAttrGetValueInt(space)),
            NULL, 0),
        0);
  MlirValue descriptor = agpu__result(
      agpu__build_op(at, "llvm.mlir.poison", NULL, 0, lowered, NULL, 0), 0);
  descriptor = insert(at, descriptor, pointer, ALLOCATED, -1);
  descriptor = insert(at, descriptor, pointer, ALIGNED, -1);
  descriptor = insert(at, descriptor, agpu__llvm_i64(at, 0), OFFSET, -1);

  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  intptr_t dynamic = 0;
  for (intptr_t i = 0; i < rank; ++i)
    dynamic += mlirShapedTypeIsDynamicDim(type, i);
  MlirValue stride = agpu__llvm_i64(at, 1);
  for (intptr_t i = rank - 1; i >= 0; --i) {
    MlirValue size =
        mlirShapedTypeIsDynamicDim(type, i)
            ? sizes[--dynamic]
            : agpu__llvm_i64(at, mlirShapedTypeGetDimSize(type, i));
    descriptor = insert(at, descriptor, size, SIZES, i);
    descriptor = insert(at, descriptor, stride, STRIDES, i);
    if (i > 0)
      stride = agpu__llvm_binary(at, "llvm.mul", stride, size);
  }
  return cast(at, descriptor, type);
}
