//===- strided_stub.h - Copies and fills of strided memrefs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_STRIDED_STUB_H
#define ASYNC_GPU_GPU_STRIDED_STUB_H

#include "lower/ir/ir.h"

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

#endif // ASYNC_GPU_GPU_STRIDED_STUB_H
