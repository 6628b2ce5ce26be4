//===- stream_ops.h - GPU ops on a stream -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_STREAM_OPS_H
#define ASYNC_GPU_GPU_STREAM_OPS_H

#include "gpu/plan/plan.h"

/// Makes the GPU ops of `body` ops on its stream. Calls that enqueue stay, with
/// the stream as the thread's current one.
void agpu__put_on_stream(const agpu__body *body, MlirValue stream);

/// A token of the work on `stream` so far.
MlirValue agpu__build_record(agpu__builder *at, MlirValue stream);

#endif // ASYNC_GPU_GPU_STREAM_OPS_H
