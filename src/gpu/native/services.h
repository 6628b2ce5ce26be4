//===- services.h - What a device does for its kernels ---------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SERVICES_H
#define ASYNC_GPU_GPU_SERVICES_H

#include "lower/ir/ir.h"

/// True if `op` prints, asserts, traps, arrives at a barrier or reads a
/// register that only the device knows.
bool agpu__simt_is_service(MlirOperation op);

/// True if `op` is where an assertion fails.
bool agpu__simt_is_assertion(MlirOperation op);

/// Replaces assertions and traps in `function`, a body with the given context.
void agpu__simt_replace_failures(MlirOperation function,
                                 const MlirValue *context,
                                 MlirOperation gpu_module);

/// Replaces another such op in a body; false for others.
bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_SERVICES_H
