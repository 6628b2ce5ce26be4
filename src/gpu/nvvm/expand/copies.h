//===- copies.h - Copies inside kernels ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion of memref.copy calls a function of the host where one
// side has strides. In kernels each thread copies element by element.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_COPIES_H
#define ASYNC_GPU_GPU_COPIES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Replaces each `memref.copy` in `gpu_module` by loops. Fails with a
/// diagnostic at each copy between memrefs without rank.
MlirLogicalResult agpu__expand_copies(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_COPIES_H
