//===- own_memory.h - Memory that programs look after -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OWN_MEMORY_H
#define ASYNC_GPU_LOWER_OWN_MEMORY_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Marks what `module` allocates itself, if it frees any of that itself:
/// upstream's deallocation passes over it, and refuses it without the marks.
MlirLogicalResult agpu__mark_own_memory(MlirOperation module);

/// Takes the marks away.
void agpu__unmark_own_memory(MlirOperation module);

/// Puts a call in place of each op of mpi: upstream does not know what they do
/// with memory, and its deallocation refuses what it does not know.
void agpu__hide_messages(MlirOperation module);

/// Puts the ops back.
void agpu__show_messages(MlirOperation module);

#endif // ASYNC_GPU_LOWER_OWN_MEMORY_H
