//===- shuffles.h - Values that move between lanes ----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hardware shuffles 32 bits, and upstream's conversion knows i32, f32, i64 and
// f64. The other types, rotations and broadcasts are expressed by those, for
// both targets.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SHUFFLES_H
#define ASYNC_GPU_GPU_SHUFFLES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// On a gpu.shuffle: only lanes below its width execute it.
#define AGPU__WHOLE_SHUFFLE "agpu.whole_shuffle"

/// Expands `gpu.rotate`, `gpu.subgroup_broadcast`, and each `gpu.shuffle` of a
/// type that is neither 32 nor 64 bits or of a width that is not surely the
/// warp's, in `gpu_module`. Fails with a diagnostic at each op whose type
/// cannot be moved, or whose constant lane or width a warp has not.
MlirLogicalResult agpu__expand_shuffles(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_SHUFFLES_H
