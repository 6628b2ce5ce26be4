//===- coroutine_calls.h - Coroutine ops become intrinsics --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_COROUTINE_CALLS_H
#define ASYNC_GPU_HOST_COROUTINE_CALLS_H

#include "host/async/lowering.h"

/// The address of the function that resumes a coroutine, made on first use.
MlirValue agpu__resume_function(agpu__lowering *self);

/// The ops of a coroutine, its start and its awaits; false for all others.
bool agpu__lower_coroutine_op(agpu__lowering *self);

#endif // ASYNC_GPU_HOST_COROUTINE_CALLS_H
