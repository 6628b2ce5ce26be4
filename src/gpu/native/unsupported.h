//===- unsupported.h - Kernels that the emulated device cannot run  -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_UNSUPPORTED_H
#define ASYNC_GPU_GPU_UNSUPPORTED_H

#include "mlir-c/IR.h"

/// Replaces the body of each kernel that reaches a function that check.h has
/// marked by a call that fails the launch.
void agpu__simt_replace_unsupported(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_UNSUPPORTED_H
