//===- stub.h - Functions that put arguments into memory -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some runtime functions take arrays. The memory for them must not become part
// of a coroutine's frame or grow in a loop, so a function of its own has it:
// a stub, which takes the elements one by one and is never inlined.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_STUB_H
#define ASYNC_GPU_GPU_STUB_H

#include "lower/ir/ir.h"

/// The type of a stub that takes `inputs`, of which there is at least one.
MlirType agpu__stub_type(const agpu__values *inputs);

/// `func.func private @name` of that type, whose body is one empty block with
/// an argument for each input.
MlirOperation agpu__stub_create(MlirOperation module, MlirLocation location,
                                const char *name, MlirType type);

/// The address of a field of the structure (or array) `type` at `base`;
/// `element` picks one of an array field (-1: the field itself).
MlirValue agpu__stub_field(agpu__builder *at, MlirType type, MlirValue base,
                           int32_t field, int32_t element);

/// An array in memory of `count` (0 is allowed) values of one type.
MlirValue agpu__stub_array(agpu__builder *at, MlirType type,
                           const MlirValue *values, size_t count);

/// A ranked memref of a strided layout, taken apart.
typedef struct agpu__view {
  MlirType type;
  MlirValue descriptor;
} agpu__view;

/// Calls agpu_memcpy_strided by way of a stub, one for each rank.
void agpu__call_memcpy_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               agpu__view source);

/// Calls agpu_memset_strided with `pattern` (i64) for elements of
/// `element_bytes` by way of a stub, one for each rank.
void agpu__call_memset_strided(agpu__builder *at, MlirOperation module,
                               MlirValue stream, agpu__view target,
                               MlirValue pattern, int64_t element_bytes);

#endif // ASYNC_GPU_GPU_STUB_H
