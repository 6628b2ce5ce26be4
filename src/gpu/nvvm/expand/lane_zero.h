//===- lane_zero.h - Regions that one lane runs -------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LANE_ZERO_H
#define ASYNC_GPU_GPU_LANE_ZERO_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Replaces each `gpu.warp_execute_on_lane_0` in `gpu_module` by a conditional,
/// and shuffles that give its results to all lanes. Fails with a diagnostic at
/// each one whose values are distributed over the lanes.
MlirLogicalResult agpu__expand_lane_zero(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_LANE_ZERO_H
