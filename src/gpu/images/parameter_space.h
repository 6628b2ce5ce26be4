//===- parameter_space.h - Bytes of a kernel's parameters --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PARAMETER_SPACE_H
#define ASYNC_GPU_GPU_PARAMETER_SPACE_H

#include "gpu/ptx/chips.h"

/// Whether the parameters of each kernel of a lowered `gpu_module` fit: a
/// diagnostic at each whose do not. `versions`, of each chip, becomes what PTX
/// version the kernels need at least; `ptx_version`: the one that was asked
/// for, or 0. Without chips the limit of the emulated device holds, which is
/// that of the latest ones.
MlirLogicalResult agpu__parameter_space_check(MlirOperation gpu_module,
                                              const agpu__chip *const *chips,
                                              size_t chip_count,
                                              int ptx_version, int *versions);

#endif // ASYNC_GPU_GPU_PARAMETER_SPACE_H
