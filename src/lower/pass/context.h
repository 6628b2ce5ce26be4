//===- context.h - An MLIR context that knows everything --------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_CONTEXT_H
#define ASYNC_GPU_LOWER_CONTEXT_H

#include "mlir-c/IR.h"

/// A new context, without threads of its own, with all of upstream's dialects,
/// extensions and translations to LLVM IR registered, the ones that our passes
/// build loaded, and the `agpu` dialect. The caller destroys it with
/// mlirContextDestroy.
MlirContext agpu__context_create(void);

/// Loads the same dialects in a context that is another's, which has upstream's
/// registered. Once for each context.
void agpu__context_load_dialects(MlirContext context);

/// Registers upstream's passes, once for the process; further calls do
/// nothing. Thread safe.
void agpu__context_register_passes(void);

#endif // ASYNC_GPU_LOWER_CONTEXT_H
