//===- type_size.h - Bytes of a type ------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_TYPE_SIZE_H
#define ASYNC_GPU_LOWER_TYPE_SIZE_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// Bytes that LLVM gives `type`, which it has a translation for, on a 64-bit
/// host or a GPU, and its alignment.
uint64_t agpu__type_size(MlirType type, uint64_t *out_alignment);

#endif // ASYNC_GPU_LOWER_TYPE_SIZE_H
