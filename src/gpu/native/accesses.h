//===- accesses.h - Checked accesses of memory ------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ACCESSES_H
#define ASYNC_GPU_GPU_ACCESSES_H

#include "lower/ir/ir.h"

/// Marks the accesses of shared memory, before address spaces go away.
void agpu__simt_mark_shared(MlirOperation gpu_module);

/// If `op`, in a body with the given context, accesses memory, puts a check
/// before it where that is not the thread's own, and returns true.
bool agpu__simt_check_access(MlirOperation op, const MlirValue *context,
                             MlirOperation gpu_module);

/// Puts a check before `op`, a division that may have no result
/// (lower/convert/division.h), in a body with the given context.
void agpu__simt_check_division(MlirOperation op, const MlirValue *context,
                               MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ACCESSES_H
