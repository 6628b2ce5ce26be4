//===- binaries.h - Kernels that others compiled -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_BINARIES_H
#define ASYNC_GPU_GPU_BINARIES_H

#include "gpu/images/embed.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Replaces each gpu.binary of `module` by its PTX and the descriptors of the
/// kernels that agpu ops launch. Of several PTX objects all are taken, one per
/// chip; the runtime chooses. Fails with a diagnostic at a gpu.binary without
/// PTX. The kernels are added to `program`.
MlirLogicalResult agpu__embed_binaries(MlirOperation module,
                                       agpu__program *program);

#endif // ASYNC_GPU_GPU_BINARIES_H
