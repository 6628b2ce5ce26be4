//===- libdevice.h - Math functions that kernels call -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's conversion turns math ops in kernels into calls of CUDA's
// libdevice (`__nv_expf`). Where the target has
// the same, they are replaced by that.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_LIBDEVICE_H
#define ASYNC_GPU_GPU_LIBDEVICE_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

/// Replaces the calls that one PTX instruction, or an exact sequence that the
/// NVPTX backend knows, can stand for (`__nv_sqrtf`, `__nv_fma`, `__nv_floor`).
/// With `approximate`, also the f32 functions that PTX approximates
/// (`__nv_expf`): to about two units in the last place for exp, exp2, log, log2
/// and log10 of usual arguments; sin and cos to 2^-20 between -pi and pi. The
/// others stay.
void agpu__libdevice_expand(MlirOperation gpu_module, bool approximate);

/// Replaces all calls of libdevice functions by LLVM intrinsics and calls of
/// the host's libm, which are declared in the module as func.func. Fails with a
/// diagnostic at each call of a function that is not known.
MlirLogicalResult agpu__libdevice_to_host(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_LIBDEVICE_H
