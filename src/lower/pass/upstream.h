//===- upstream.h - Upstream's passes inside of ours --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_UPSTREAM_H
#define ASYNC_GPU_LOWER_UPSTREAM_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Runs the passes of `pipeline`, text without the op around it, on `op`, one
/// by one and without verifying in between. For a pass of ours, which knows
/// what the op holds, so that nothing runs that would find nothing to do. An
/// empty text does nothing. What is watched (instruments.h) is watched inside
/// too.
MlirLogicalResult agpu__upstream_run(MlirOperation op, const char *pipeline);

#endif // ASYNC_GPU_LOWER_UPSTREAM_H
