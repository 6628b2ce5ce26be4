//===- binaries.h - Kernels that others compiled -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_BINARIES_H
#define ASYNC_GPU_GPU_BINARIES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Replaces each gpu.binary of `module` by its PTX and the descriptors of the
/// kernels that agpu ops launch. Of several PTX objects all are taken, one per
/// chip; the runtime chooses. Fails with a diagnostic at a gpu.binary without
/// PTX.
MlirLogicalResult agpu__embed_binaries(MlirOperation module);

#endif // ASYNC_GPU_GPU_BINARIES_H
