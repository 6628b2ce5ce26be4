//===- assembly.h - Inline assembly on a host ------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASSEMBLY_H
#define ASYNC_GPU_GPU_ASSEMBLY_H

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>

/// True if `op` is an llvm.inline_asm or nvvm.inline_ptx all of whose
/// instructions are known. Else writes what is wrong with it, for a message;
/// `out` may be NULL.
bool agpu__simt_knows_assembly(MlirOperation op, char *out, size_t size);

/// Replaces those in `gpu_module` by ops of the nvvm and llvm dialects that do
/// the same.
void agpu__simt_expand_assembly(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_ASSEMBLY_H
