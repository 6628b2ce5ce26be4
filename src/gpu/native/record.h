//===- record.h - A thread's record ----------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread that waits leaves in its record (agpu_native_thread), and finds
// there when it goes on.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_RECORD_H
#define ASYNC_GPU_GPU_RECORD_H

#include "async_gpu/compiled/native_thread.h"
#include "lower/ir/ir.h"

/// Stores the operands of `op`, which waits, into the record. Returns the wait,
/// and its mode.
agpu_native_wait agpu__record_operands(agpu__builder *at, MlirValue thread,
                                       MlirOperation op, uint32_t *out_mode);

/// The result of a wait: a value, or a structure of it and whether it is valid.
MlirValue agpu__record_result(agpu__builder *at, MlirValue thread,
                              MlirType type);

#endif // ASYNC_GPU_GPU_RECORD_H
