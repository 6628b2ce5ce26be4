//===- cost.h - How long ops take, about ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates from constant sizes, in ops: those of the host's code, or those of
// all threads of a kernel. Sizes that are not known are taken to be middling;
// code that is not known takes as long as anything may.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MEMORY_COST_H
#define ASYNC_GPU_GPU_MEMORY_COST_H

#include "mlir-c/IR.h"

#include <stdint.h>

/// Of what is as long as anything may be. No cost is more.
#define AGPU__MANY_OPS ((int64_t)1 << 40)

/// What the host does for a launch or copy, and for what is printed.
#define AGPU__CALL_OPS 500

int64_t agpu__cost_plus(int64_t a, int64_t b);
int64_t agpu__cost_times(int64_t a, int64_t b);

/// How often what is in `op` runs when it does: 1, unless it is a loop.
int64_t agpu__cost_trips(MlirOperation op);

/// Threads and blocks of a gpu.launch or gpu.launch_func.
int64_t agpu__cost_threads(MlirOperation launch);
int64_t agpu__cost_blocks(MlirOperation launch);

/// What a memref.copy, gpu.memcpy or gpu.memset takes, by its bytes: of the
/// host, or of the device, whose ops a thread counts alone.
int64_t agpu__cost_of_copy(MlirOperation op);

/// What a structured op of linalg on memrefs takes on the host.
int64_t agpu__cost_of_linalg(MlirOperation op);

#endif // ASYNC_GPU_GPU_MEMORY_COST_H
