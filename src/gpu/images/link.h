//===- link.h - Native code in the program ---------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LINK_H
#define ASYNC_GPU_GPU_LINK_H

#include "mlir-c/IR.h"

/// Moves everything in `gpu_module`, which async-gpu-native has made a host's
/// code, to `host_module`, before op `before` of its body. Declarations that
/// are there already are dropped.
void agpu__link_native(MlirOperation host_module, MlirOperation gpu_module,
                       MlirOperation before);

#endif // ASYNC_GPU_GPU_LINK_H
