//===- upstream_names.h - Which passes upstream has -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_UPSTREAM_NAMES_H
#define ASYNC_GPU_LOWER_UPSTREAM_NAMES_H

#include "mlir-c/IR.h"

/// Calls `visit` for each pass of upstream's that is registered
/// (agpu__context_register_passes), in the order of their names, which live
/// during the call.
void agpu__upstream_each_pass(MlirContext context,
                              void (*visit)(const char *name,
                                            const char *description,
                                            void *data),
                              void *data);

#endif // ASYNC_GPU_LOWER_UPSTREAM_NAMES_H
