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

#include "lower/ir.h"

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

/// A memref of `type` (identity layout) at `pointer`, whose dynamic sizes are
/// `sizes` (i64, in order).
MlirValue agpu__memref_make(agpu__builder *at, MlirType type, MlirValue pointer,
                            const MlirValue *sizes);

#endif // ASYNC_GPU_LOWER_MEMREF_PARTS_H
