//===- check.h - What the emulated device cannot run ------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CHECK_H
#define ASYNC_GPU_GPU_CHECK_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

/// Marks a function with an op that the emulated device cannot run: what is to
/// be said of it, and its location.
#define AGPU__SIMT_UNSUPPORTED "agpu.unsupported"

/// Reports each op of `gpu_module`, in the LLVM and NVVM dialects, that the
/// emulated device cannot run. Where the program has images for another target,
/// instructions of the GPU are no errors yet: their functions are marked, and
/// launches of their kernels will fail.
MlirLogicalResult agpu__simt_check(MlirOperation gpu_module, bool other_target);

/// Replaces the body of each kernel that reaches a function that is marked
/// so by a call that fails the launch.
void agpu__simt_replace_unsupported(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_CHECK_H
