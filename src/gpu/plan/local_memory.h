//===- local_memory.h - Memory that the device cannot reach -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LOCAL_MEMORY_H
#define ASYNC_GPU_GPU_LOCAL_MEMORY_H

#include "gpu/plan/effects.h"

/// Stores what is known of ops whose own attribute says nothing: accesses of
/// memory that no device work can know do not observe, and calls do as their
/// callee's attribute says.
void agpu__find_effects(MlirOperation module, agpu__effects *out_known);

#endif // ASYNC_GPU_GPU_LOCAL_MEMORY_H
