//===- brief.h - Coroutines that take a moment ------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_BRIEF_H
#define ASYNC_GPU_HOST_BRIEF_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Marks each `async.runtime.resume` and `agpu.resume_after` (AGPU__BRIEF_ATTR)
/// that puts a coroutine on the executor which has few ops and neither blocks
/// nor loops, nor calls what might, until it ends or suspends. A thread that
/// waits may then run it on its own stack: it is not held up. Before async ops
/// are lowered; not where in doubt.
void agpu__mark_brief(MlirOperation module);

/// Whether `op` does nothing but compute: it reads and writes memory and the
/// states of async objects, and neither blocks nor suspends nor spawns. False
/// where in doubt.
bool agpu__only_computes(MlirOperation op);

/// Whether all branches of `op` lead to blocks after its own.
bool agpu__only_branches_forward(MlirOperation op);

#endif // ASYNC_GPU_HOST_BRIEF_H
