//===- launch_check.h - What launches pass, what kernels take -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LAUNCH_CHECK_H
#define ASYNC_GPU_GPU_LAUNCH_CHECK_H

#include "lower/ir/ir.h"

/// Reports each `agpu.launch` and `agpu.launch_with` in `host_module` whose
/// arguments are not what a kernel of `gpu_module`, which holds llvm.func by
/// now, takes. MLIR's verifier has compared them where the kernel was a
/// gpu.func; one that was an llvm.func from the beginning it takes as it is.
/// `bare_pointers`: see convention.h.
MlirLogicalResult agpu__check_launches(MlirOperation host_module,
                                       MlirOperation gpu_module,
                                       bool bare_pointers);

#endif // ASYNC_GPU_GPU_LAUNCH_CHECK_H
