//===- upstream.h - Upstream's passes inside of ours --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_UPSTREAM_H
#define ASYNC_GPU_LOWER_UPSTREAM_H

#include "lower/pass/pipeline_builder.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Support.h"

/// Runs the passes of `pipeline`, text without the op around it, on `op`, one
/// by one and without verifying in between. For a pass of ours, which knows
/// what the op holds, so that nothing runs that would find nothing to do. An
/// empty text does nothing.
MlirLogicalResult agpu__upstream_run(MlirOperation op, const char *pipeline);

/// Has `setup` look at the pass manager of each such pass of this thread before
/// it runs, so that what a user asks of the outer one (to print the IR, to
/// measure) holds inside of our passes too; and has the IR printed around those
/// that `settings` name. NULL: none does.
void agpu__upstream_on_manager(void (*setup)(MlirPassManager manager,
                                             void *data),
                               void *data,
                               const agpu__pipeline_settings *settings);

#endif // ASYNC_GPU_LOWER_UPSTREAM_H
