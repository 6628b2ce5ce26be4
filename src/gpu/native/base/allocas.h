//===- allocas.h - Memory of a thread's own --------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_ALLOCAS_H
#define ASYNC_GPU_GPU_SIMT_ALLOCAS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if `alloca` allocates a constant number of elements.
bool agpu__simt_has_constant_size(MlirOperation alloca);

/// Moves memory of a thread's own that has a constant size to the start of the
/// function: it is allocated once, and is a part of a coroutine's frame.
void agpu__simt_hoist_allocas(MlirOperation function);

#endif // ASYNC_GPU_GPU_SIMT_ALLOCAS_H
