//===- atomics.h - Atomic operations on shared memory ----------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ATOMICS_H
#define ASYNC_GPU_GPU_ATOMICS_H

#include "mlir-c/IR.h"

/// Replaces them in `gpu_module`, before address spaces go away, and marks the
/// stores that they end with (agpu.atomic).
void agpu__simt_replace_shared_atomics(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ATOMICS_H
