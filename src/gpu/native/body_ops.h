//===- body_ops.h - Ops of a body and its context ---*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What async-gpu-native-context makes of the ops of a body that needs to know
// its context, by three files.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_BODY_OPS_H
#define ASYNC_GPU_GPU_SIMT_BODY_OPS_H

#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// accesses.c
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// count.c
//===----------------------------------------------------------------------===//

/// Has the function say what its blocks execute.
void agpu__simt_count_instructions(MlirOperation function,
                                   MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// registers.c
//===----------------------------------------------------------------------===//

/// True if `op` reads a special register that is computed from a context.
bool agpu__simt_is_register(MlirOperation op);

/// Replaces such an op in a body with the given context; false for others.
bool agpu__simt_replace_register(MlirOperation op, const MlirValue *context);

/// The thread's number in its block, x fastest, as CUDA counts lanes.
MlirValue agpu__simt_linear_thread(agpu__builder *at, const MlirValue *context);

//===----------------------------------------------------------------------===//
// services.c
//===----------------------------------------------------------------------===//

/// True if `op` prints, asserts, traps, arrives at a barrier or reads a
/// register that only the device knows.
bool agpu__simt_is_service(MlirOperation op);

/// True if `op` is where an assertion fails.
bool agpu__simt_is_assertion(MlirOperation op);

/// Replaces assertions and traps in `function`, a body with the given context.
void agpu__simt_replace_failures(MlirOperation function,
                                 const MlirValue *context,
                                 MlirOperation gpu_module);

/// Replaces another such op in a body; false for others.
bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_SIMT_BODY_OPS_H
