//===- object_types.h - Object types become pointers -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OBJECT_TYPES_H
#define ASYNC_GPU_LOWER_OBJECT_TYPES_H

#include "mlir-c/IR.h"

/// The LLVM type of a token, value, group, stream or coroutine type, and of
/// function and tuple types with such in them; other types are themselves.
MlirType agpu__convert_object_type(MlirType type);

/// Gives every value, block argument, function type and type attribute of the
/// module that is or holds a token, value, group, stream or coroutine handle
/// its LLVM type, and removes casts that have become casts to the same type.
void agpu__convert_object_types(MlirOperation module);

/// Makes `!gpu.async.token` and `!async.token` one type, the latter, wherever
/// they stand in the module. It has no GPU ops any more.
void agpu__unify_token_types(MlirOperation module);

#endif // ASYNC_GPU_LOWER_OBJECT_TYPES_H
