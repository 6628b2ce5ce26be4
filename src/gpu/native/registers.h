//===- registers.h - Special registers of a thread -------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_REGISTERS_H
#define ASYNC_GPU_GPU_REGISTERS_H

#include "lower/ir/ir.h"

/// True if `op` reads a special register that is computed from a context.
bool agpu__simt_is_register(MlirOperation op);

/// Replaces such an op in a body with the given context; false for others.
bool agpu__simt_replace_register(MlirOperation op, const MlirValue *context);

/// The thread's number in its block, x fastest, as CUDA counts lanes.
MlirValue agpu__simt_linear_thread(agpu__builder *at, const MlirValue *context);

#endif // ASYNC_GPU_GPU_REGISTERS_H
