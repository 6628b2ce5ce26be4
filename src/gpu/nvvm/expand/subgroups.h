//===- subgroups.h - Where a thread is among the warps ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion to NVVM knows the lane of a thread but not its warp.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SUBGROUPS_H
#define ASYNC_GPU_GPU_SUBGROUPS_H

#include "mlir-c/IR.h"

/// Replaces gpu.subgroup_id, gpu.num_subgroups and gpu.subgroup_size inside
/// `gpu_module` by arithmetic on thread ids and block sizes: a warp is 32
/// threads, counted with x fastest, then y, then z (CUDA C++ Programming
/// Guide, "Thread Hierarchy").
void agpu__expand_subgroups(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_SUBGROUPS_H
