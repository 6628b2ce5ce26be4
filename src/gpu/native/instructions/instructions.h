//===- instructions.h - Instructions of the GPU on a host ------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_INSTRUCTIONS_H
#define ASYNC_GPU_GPU_INSTRUCTIONS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// True if `op` is an instruction that a host can compute.
bool agpu__simt_is_instruction(MlirOperation op);

/// Replaces those in `gpu_module`; some become shuffles.
void agpu__simt_expand_instructions(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_INSTRUCTIONS_H
