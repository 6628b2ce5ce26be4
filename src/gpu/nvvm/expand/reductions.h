//===- reductions.h - Reductions over a warp or a block -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu.subgroup_reduce and gpu.all_reduce as shuffles, barriers and workgroup
// memory, for both targets. Blocks may have any size: the last warp may be
// partly filled.
//
// Over a warp, in five steps (or the logarithm of a cluster's size), a lane
// joins its value with that of the lane whose number differs in one bit, if
// that lane exists. Lane 0 then has the whole, and, where all lanes exist, all
// lanes have.
//
// Over a block, each warp's first lane stores its warp's result; after a
// barrier the first warp reduces those and stores the whole in a slot of its
// own; after another barrier all threads read it. The slot of its own makes a
// third barrier unnecessary before the memory is used again.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_REDUCTIONS_H
#define ASYNC_GPU_GPU_REDUCTIONS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

/// Expands the reductions in `gpu_module`. `has_redux` says that all targets
/// have `redux.sync` (sm_80 and later), which reduces 32-bit integers over a
/// warp in one instruction. Fails with a diagnostic where a reduction's region
/// has several blocks.
MlirLogicalResult agpu__expand_reductions(MlirOperation gpu_module,
                                          bool has_redux);

#endif // ASYNC_GPU_GPU_REDUCTIONS_H
