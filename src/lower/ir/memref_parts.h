//===- memref_parts.h - What a memref descriptor holds -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code passes memrefs to the runtime as plain addresses and sizes. These
// builders take a memref's descriptor apart and put a new one together, by
// casts that upstream's memref conversion resolves.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_MEMREF_PARTS_H
#define ASYNC_GPU_LOWER_MEMREF_PARTS_H

#include "lower/ir/build.h"

/// Field `index` of an LLVM structure value; `element` picks one of an array
/// field (-1: the field itself).
MlirValue agpu__extract(agpu__builder *at, MlirValue structure, int64_t index,
                        int64_t element, MlirType type);

/// The descriptor of `memref` (ranked or not) as an LLVM structure. A null
/// value, after an error at the builder's location, where the memref's memory
/// space or element type has no LLVM type.
MlirValue agpu__memref_descriptor(agpu__builder *at, MlirValue memref);

/// True if the elements of the (ranked) type lie side by side in row-major
/// order, whatever its dynamic sizes and offset are.
bool agpu__memref_is_contiguous(MlirType type);

/// The address of the first element, from a ranked memref's descriptor.
MlirValue agpu__memref_address(agpu__builder *at, MlirType type,
                               MlirValue descriptor);

/// The address that the memory was allocated at.
MlirValue agpu__memref_allocated(agpu__builder *at, MlirType type,
                                 MlirValue descriptor);

/// True if the type's layout is a stride for each dimension, and an offset.
bool agpu__memref_is_strided(MlirType type);

/// True if no size of the type is dynamic.
bool agpu__memref_has_static_shape(MlirType type);

/// The size and the stride of a dimension, in elements, as an i64.
MlirValue agpu__memref_size(agpu__builder *at, MlirType type,
                            MlirValue descriptor, intptr_t dimension);
MlirValue agpu__memref_stride(agpu__builder *at, MlirValue descriptor,
                              intptr_t dimension);

/// The number of elements as an i64.
MlirValue agpu__memref_count(agpu__builder *at, MlirType type,
                             MlirValue descriptor);

/// The bytes of one element as an i64.
MlirValue agpu__memref_element_bytes(agpu__builder *at, MlirType type);

/// True if memory for the ranked type can be allocated: its layout is the
/// identity, or `strided` without negative numbers.
bool agpu__memref_is_allocatable(MlirType type);

/// Number of dynamic sizes, offsets and strides of such a type.
size_t agpu__memref_dynamic_count(MlirType type);

/// What an allocation of a type that passes agpu__memref_is_allocatable needs
/// to know; everything is an i64 and counts elements.
typedef struct agpu__memref_shape {
  MlirType type;
  MlirValue offset, extent; ///< extent: elements from the base to the end
  agpu__values sizes, strides;
} agpu__memref_shape;

/// `dynamic` (i64): the type's dynamic sizes, then the dynamic ones of offset
/// and strides, in order: the operands of an allocation. Free the result with
/// agpu__memref_shape_free.
agpu__memref_shape agpu__memref_shape_create(agpu__builder *at, MlirType type,
                                             const MlirValue *dynamic);
void agpu__memref_shape_free(agpu__memref_shape *shape);

/// A memref of this shape at `pointer`, in the default address space.
MlirValue agpu__memref_make(agpu__builder *at, const agpu__memref_shape *shape,
                            MlirValue pointer);

#endif // ASYNC_GPU_LOWER_MEMREF_PARTS_H
