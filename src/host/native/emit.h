//===- emit.h - What a pipeline ends in -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_EMIT_H
#define ASYNC_GPU_HOST_EMIT_H

#include "async_gpu/compiler.h"

#include "host/native/target.h"
#include "lower/ir/text.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Appends `module` in the form `kind`, made for `target` with optimisation
/// level 0 to 3, to `out`. Failure comes with a diagnostic.
MlirLogicalResult agpu__emit(MlirOperation module, agpu_emit_kind kind,
                             const agpu__target *target, int level,
                             agpu__text *out);

#endif // ASYNC_GPU_HOST_EMIT_H
