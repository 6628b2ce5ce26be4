//===- launch_memory.h - The memory that a launch gives its kernel -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LAUNCH_MEMORY_H
#define ASYNC_GPU_GPU_LAUNCH_MEMORY_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// What a memref that a launch is given is of.
typedef struct agpu__given_memory {
  /// The op or argument that the memory is from; NULL: not known, or the host
  /// may write to it while the kernel runs. Of two that differ, the memory
  /// does, too, unless both come from outside of the function.
  const void *origin;
  bool is_from_outside;
  /// The gpu.alloc whose elements begin where the memref's memory does; or
  /// null.
  MlirOperation fresh;
} agpu__given_memory;

/// Of `value`, which `launch` has as an operand. Memory of the host counts in
/// functions with AGPU__UNIFIED_ATTR alone, where host and kernels take turns.
agpu__given_memory agpu__given_memory_of(MlirOperation launch, MlirValue value);

/// True if the kernel, a gpu.func, does no more with its argument than to read
/// its memory.
bool agpu__kernel_only_reads(MlirOperation kernel, intptr_t argument);

#endif // ASYNC_GPU_GPU_LAUNCH_MEMORY_H
