//===- signature.h - What functions take and give ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_SIGNATURE_H
#define ASYNC_GPU_HOST_SIGNATURE_H

#include "async_gpu/call.h"

#include "mlir-c/IR.h"

/// The signature of `function`, a func.func, async.func or llvm.func, under the
/// name `name`. `awaitable`: as agpu_program_export makes it. NULL after a
/// diagnostic at the function.
agpu_signature *agpu__signature_create(MlirOperation function, const char *name,
                                       bool awaitable);

/// True if a call of the function gives tokens or values already.
bool agpu__signature_is_async(const agpu_signature *signature);

/// How many parameters the type becomes in the LLVM dialect.
int64_t agpu__type_parameters(const agpu_type *type);

#endif // ASYNC_GPU_HOST_SIGNATURE_H
