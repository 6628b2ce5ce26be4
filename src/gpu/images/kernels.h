//===- kernels.h - The passes that compile kernels --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNELS_H
#define ASYNC_GPU_GPU_KERNELS_H

#include "lower/pass/pass.h"

/// async-gpu-kernels-to-nvvm
extern const agpu_pass agpu__pass_kernels_to_nvvm;
/// async-gpu-kernels
extern const agpu_pass agpu__pass_kernels;

#endif // ASYNC_GPU_GPU_KERNELS_H
