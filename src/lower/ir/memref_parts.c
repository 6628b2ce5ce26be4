//===- memref_parts.c - What a memref descriptor holds -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields of upstream's memref descriptor, by number. A size that is static is a
// constant and not read. Sizes in bytes saturate (llvm_ops.h).
//
//===----------------------------------------------------------------------===//

#include "lower/ir/memref_parts.h"

#include "lower/ir/ir.h"

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
  return agpu__build_with(at, "llvm.extractvalue", &structure, 1, type,
                          "position", position(at->context, index, element));
}

static MlirValue insert(agpu__builder *at, MlirValue structure, MlirValue value,
                        int64_t index, int64_t element) {
  MlirValue operands[] = {structure, value};
  return agpu__build_with(at, "llvm.insertvalue", operands, 2,
                          mlirValueGetType(structure), "position",
                          position(at->context, index, element));
}

MlirValue agpu__memref_descriptor(agpu__builder *at, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  MlirType lowered = agpu__payload_type(type);
  bool has_element =
      !mlirTypeIsNull(agpu__payload_type(mlirShapedTypeGetElementType(type)));
  if (mlirTypeIsNull(lowered) || !has_element) {
    AGPU__OWNED char *text = agpu__type_text(type);
    agpu__error(at->location, "%s cannot be lowered in host code: %s", text,
                has_element ? "its memory space has no meaning there; use the "
                              "default or a numbered one"
                            : "its element type has no LLVM type");
    return (MlirValue){NULL};
  }
  return agpu__build_cast(at, memref, lowered);
}

/// The offset and strides of a type, into an array that the caller frees; NULL:
/// its layout is not strided.
static int64_t *static_strides(MlirType type, int64_t *out_offset) {
  int64_t *strides =
      agpu__allocate((size_t)mlirShapedTypeGetRank(type), sizeof(*strides));
  if (mlirLogicalResultIsSuccess(
          mlirMemRefTypeGetStridesAndOffset(type, strides, out_offset)))
    return strides;
  free(strides);
  return NULL;
}

bool agpu__memref_is_strided(MlirType type) {
  int64_t offset;
  int64_t *strides = static_strides(type, &offset);
  free(strides);
  return strides != NULL;
}

bool agpu__memref_is_contiguous(MlirType type) {
  int64_t offset;
  AGPU__OWNED int64_t *strides = static_strides(type, &offset);
  bool contiguous = strides != NULL;
  bool identity = mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type));
  int64_t expected = 1;
  for (intptr_t i = (intptr_t)mlirShapedTypeGetRank(type) - 1;
       i >= 0 && contiguous && !identity; --i) {
    // A dimension of one element may have any stride.
    bool is_static = !mlirShapedTypeIsDynamicDim(type, i);
    int64_t size = is_static ? mlirShapedTypeGetDimSize(type, i) : 0;
    if (is_static && size == 1)
      continue;
    contiguous = !mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) &&
                 strides[i] == expected && expected != 0;
    expected = is_static ? expected * size : 0; // 0: no static stride fits
  }
  return contiguous;
}

MlirValue agpu__memref_element_bytes(agpu__builder *at, MlirType type) {
  return agpu__llvm_size_of(
      at, agpu__payload_type(mlirShapedTypeGetElementType(type)));
}

/// The pointer type of a memref's memory space, a number or none.
static MlirType pointer_type(MlirContext context, MlirType type) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  return mlirLLVMPointerTypeGet(
      context, mlirAttributeIsNull(space)
                   ? 0
                   : (unsigned)mlirIntegerAttrGetValueInt(space));
}

static MlirValue in_space(agpu__builder *at, MlirValue pointer, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(pointer), type)
             ? pointer
             : agpu__build_unary(at, "llvm.addrspacecast", pointer, type);
}

/// The descriptor's pointer in the default address space.
static MlirValue pointer_field(agpu__builder *at, MlirType type,
                               MlirValue descriptor, int64_t field) {
  return in_space(
      at,
      agpu__extract(at, descriptor, field, -1, pointer_type(at->context, type)),
      agpu__ptr_type(at->context));
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
  return agpu__llvm_element(
      at, base, agpu__payload_type(mlirShapedTypeGetElementType(type)), offset);
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
    count = agpu__llvm_multiply_size(
        at, count, agpu__memref_size(at, type, descriptor, i));
  return count;
}

bool agpu__memref_is_allocatable(MlirType type) {
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return true;
  // Only this kind of layout says which symbol is which.
  if (!mlirAttributeIsAStridedLayout(mlirMemRefTypeGetLayout(type)))
    return false;
  int64_t offset;
  AGPU__OWNED int64_t *strides = static_strides(type, &offset);
  bool positive = mlirShapedTypeIsDynamicStrideOrOffset(offset) || offset >= 0;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    positive &=
        mlirShapedTypeIsDynamicStrideOrOffset(strides[i]) || strides[i] >= 0;
  return positive;
}

size_t agpu__memref_dynamic_count(MlirType type) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  size_t count = 0;
  for (intptr_t i = 0; i < rank; ++i)
    count += mlirShapedTypeIsDynamicDim(type, i);
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return count;
  int64_t offset;
  AGPU__OWNED int64_t *strides = static_strides(type, &offset);
  count += mlirShapedTypeIsDynamicStrideOrOffset(offset);
  for (intptr_t i = 0; i < rank; ++i)
    count += mlirShapedTypeIsDynamicStrideOrOffset(strides[i]);
  return count;
}

agpu__memref_shape agpu__memref_shape_create(agpu__builder *at, MlirType type,
                                             const MlirValue *dynamic) {
  agpu__memref_shape shape = {.type = type};
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i)
    agpu__values_push(
        &shape.sizes,
        mlirShapedTypeIsDynamicDim(type, i)
            ? *dynamic++
            : agpu__llvm_i64(at, mlirShapedTypeGetDimSize(type, i)));
  if (mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type))) {
    shape.offset = agpu__llvm_i64(at, 0);
    MlirValue stride = agpu__llvm_i64(at, 1);
    for (intptr_t i = rank - 1; i >= 0; --i) {
      agpu__values_push(&shape.strides, stride);
      stride = agpu__llvm_multiply_size(at, stride, shape.sizes.data[i]);
    }
    for (intptr_t i = 0; i < rank / 2; ++i) {
      MlirValue last = shape.strides.data[rank - 1 - i];
      shape.strides.data[rank - 1 - i] = shape.strides.data[i];
      shape.strides.data[i] = last;
    }
    shape.extent = stride; // the number of elements
    return shape;
  }
  int64_t offset;
  AGPU__OWNED int64_t *strides = static_strides(type, &offset);
  shape.offset = mlirShapedTypeIsDynamicStrideOrOffset(offset)
                     ? *dynamic++
                     : agpu__llvm_i64(at, offset);
  // After the last element: the offset, one element, and for each dimension
  // all steps but the first.
  shape.extent = agpu__llvm_add_size(at, shape.offset, agpu__llvm_i64(at, 1));
  for (intptr_t i = 0; i < rank; ++i) {
    MlirValue stride = mlirShapedTypeIsDynamicStrideOrOffset(strides[i])
                           ? *dynamic++
                           : agpu__llvm_i64(at, strides[i]);
    agpu__values_push(&shape.strides, stride);
    MlirValue steps = agpu__build_binary(
        at, "llvm.intr.usub.sat", shape.sizes.data[i], agpu__llvm_i64(at, 1));
    shape.extent = agpu__llvm_add_size(
        at, shape.extent, agpu__llvm_multiply_size(at, steps, stride));
  }
  return shape;
}

void agpu__memref_shape_free(agpu__memref_shape *shape) {
  agpu__values_free(&shape->sizes);
  agpu__values_free(&shape->strides);
}

MlirValue agpu__memref_make(agpu__builder *at, const agpu__memref_shape *shape,
                            MlirValue pointer) {
  MlirType lowered = agpu__payload_type(shape->type);
  pointer = in_space(at, pointer, pointer_type(at->context, shape->type));
  MlirValue descriptor = agpu__llvm_poison(at, lowered);
  descriptor = insert(at, descriptor, pointer, ALLOCATED, -1);
  descriptor = insert(at, descriptor, pointer, ALIGNED, -1);
  descriptor = insert(at, descriptor, shape->offset, OFFSET, -1);
  for (size_t i = 0; i < shape->sizes.count; ++i) {
    descriptor =
        insert(at, descriptor, shape->sizes.data[i], SIZES, (int64_t)i);
    descriptor =
        insert(at, descriptor, shape->strides.data[i], STRIDES, (int64_t)i);
  }
  return agpu__build_cast(at, descriptor, shape->type);
}
