//===- exports.h - Functions called by the address of values ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_EXPORTS_H
#define ASYNC_GPU_HOST_EXPORTS_H

#include "async_gpu/call.h"

#include "lower/ir/text.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Notes in `module` that `function`, whose signature this is, is called from
/// outside under the signature's name. For an awaitable one a function is made
/// that calls it in a region.
void agpu__exports_add(MlirOperation module, MlirOperation function,
                       const agpu_signature *signature);

/// Builds an agpu_packed_function for each that was noted, in the LLVM dialect,
/// unless it is there. Fails with a diagnostic where one of them is not
/// lowered, or not there any more.
MlirLogicalResult agpu__exports_build(MlirOperation module);

/// What the packed function for the name `name` is called. The caller frees it.
char *agpu__exports_symbol(const char *name);

#endif // ASYNC_GPU_HOST_EXPORTS_H
