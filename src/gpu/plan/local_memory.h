//===- local_memory.h - Memory that the device cannot reach -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LOCAL_MEMORY_H
#define ASYNC_GPU_GPU_LOCAL_MEMORY_H

#include "lower/ir/ir.h"

/// Gives the attribute AGPU__OBSERVES_ATTR (effects.h) to ops that do not have
/// it: `false` to accesses of memory that no device work can know, and to calls
/// what their callee's attribute says. Appends those ops to `out_marked`.
void agpu__mark_effects(MlirOperation module, agpu__ops *out_marked);

/// Takes the attributes off again.
void agpu__unmark_effects(const agpu__ops *marked);

#endif // ASYNC_GPU_GPU_LOCAL_MEMORY_H
