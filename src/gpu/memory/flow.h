//===- flow.h - Memrefs that control flow hands on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_FLOW_H
#define ASYNC_GPU_GPU_MEMORY_FLOW_H

#include "lower/ir/ops.h"

/// `to`, a block argument or a result, may be `from`.
typedef void (*agpu__flow)(MlirValue from, MlirValue to, void *data);

/// Calls `visit` for each value that operand `number` of the op becomes:
/// loop-carried values, results of branches and of arith.select, and arguments
/// of blocks. False if the op hands the operand on in a way that is not
/// followed, or not at all.
bool agpu__follow_operand(MlirOperation op, intptr_t number, agpu__flow visit,
                          void *data);

#endif // ASYNC_GPU_GPU_MEMORY_FLOW_H
