//===- wgmma.h - Matrix products of a warp group ---------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_WGMMA_H
#define ASYNC_GPU_GPU_WGMMA_H

#include "gpu/native/instructions/device_call.h"

/// True for nvvm.wgmma.mma_async of types that the device has.
bool agpu__simt_is_wgmma(MlirOperation op);

/// Puts a call in place of such an op.
void agpu__simt_call_wgmma(agpu__simt_call *self);

/// Puts calls wherever sums of wgmma are read in `gpu_module`: what
/// nvvm.wgmma.mma_async will give only stands for them. Before those are
/// replaced.
void agpu__simt_read_sums(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_WGMMA_H
