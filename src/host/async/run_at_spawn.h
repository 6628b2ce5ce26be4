//===- run_at_spawn.h - Regions that run where they are spawned -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_RUN_AT_SPAWN_H
#define ASYNC_GPU_HOST_RUN_AT_SPAWN_H

#include "mlir-c/IR.h"

/// Makes a plain function of the async function `region`, which awaits nothing
/// but its arguments, in its entry block, and does not spawn. Where an argument
/// that it awaits is not READY, the function calls a copy of `region` named
/// `NAME_later`, which is added to `symbols`; so it does, where `region` starts
/// in its spawner only while others have enough to do, if they have not. Calls
/// of `region` are not changed.
void agpu__run_at_spawn(MlirSymbolTable symbols, MlirOperation region);

#endif // ASYNC_GPU_HOST_RUN_AT_SPAWN_H
