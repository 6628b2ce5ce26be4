//===- frame_memory.h - Stack memory of async functions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_FRAME_MEMORY_H
#define ASYNC_GPU_HOST_FRAME_MEMORY_H

#include "lower/ir/ir.h"

/// Turns each `memref.alloca` in an async function into memory that is
/// allocated once, at the start of the function, where LLVM can make it part of
/// the coroutine's frame, and puts the ops of each `memref.alloca_scope` in its
/// place. An allocation in a loop gets the same memory each time around. Fails
/// with a diagnostic where the size is not static, or where rounds of the loop
/// need memory of their own (allocation_scope.h).
MlirLogicalResult agpu__hoist_allocas(MlirOperation async_function);

/// Puts the ops of each `memref.alloca_scope` in a function that is no async
/// one in its place, between ops that save and restore the stack.
void agpu__inline_stack_scopes(MlirOperation function);

/// The last `llvm.alloca` among the first ops of `block` that came from there,
/// moved to its start with their constants; a null op if there is none. A
/// coroutine begins after it.
MlirOperation agpu__gather_allocas(MlirBlock block);

#endif // ASYNC_GPU_HOST_FRAME_MEMORY_H
