//===- allocations.h - Memory that a kernel asks for --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ALLOCATIONS_H
#define ASYNC_GPU_GPU_ALLOCATIONS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Before conversion: makes one workgroup buffer of each `memref.alloc` and
/// `memref.alloca` in workgroup memory, which all threads of a block share, and
/// an `memref.alloca` where the function begins of each `memref.alloc` in
/// private memory; their deallocations go. Upstream makes a call of malloc in
/// each thread of them. Fails with a diagnostic where the size is not constant,
/// or where the memory may outlive a turn of a loop or its function, as one
/// buffer would then stand for several.
MlirLogicalResult agpu__place_allocations(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ALLOCATIONS_H
