//===- asynchronous.h - Copies that go on by themselves --------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous copies, mbarrier objects, and what else of the NVVM dialect goes
// on while its thread does: calls of the emulated device.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASYNCHRONOUS_H
#define ASYNC_GPU_GPU_ASYNCHRONOUS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if `op` is such an operation, and the emulated device has it.
bool agpu__simt_is_asynchronous(MlirOperation op);

/// Replaces those in `gpu_module`, by calls, and by waits
/// (native/base/waits.h).
void agpu__simt_expand_asynchronous(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ASYNCHRONOUS_H
