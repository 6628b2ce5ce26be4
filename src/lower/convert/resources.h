//===- resources.h - Constants that are resources -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_RESOURCES_H
#define ASYNC_GPU_LOWER_RESOURCES_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

/// The first `count` elements of the resource `from`, which are of type
/// `element`, at `out`, which malloc has aligned. False, and nothing is
/// written, for types that the C API reads no resources of: floats of 32 and 64
/// bits and integers of 8 to 64 it reads. The resource has to be there.
bool agpu__resource_read(MlirAttribute from, MlirType element, intptr_t count,
                         void *out);

/// Whether the resource that the attribute `value` of `op` names is in the
/// program: it may have been left out when that was printed.
bool agpu__resource_is_there(MlirOperation op);

/// A resource of `size` bytes at `data`, which are malloc's, and freed with it.
/// `alignment` is that of its elements.
MlirAttribute agpu__resource_make(MlirType type, const char *name, char *data,
                                  size_t size, size_t alignment);

#endif // ASYNC_GPU_LOWER_RESOURCES_H
