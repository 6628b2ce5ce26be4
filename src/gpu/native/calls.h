//===- calls.h - Functions that a kernel calls ------------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CALLS_H
#define ASYNC_GPU_GPU_CALLS_H

#include "lower/ir/ir.h"
#include "lower/ir/op_set.h"

/// Adds `function`, and each symbol of its module that it refers to, itself or
/// through functions that it calls: those that are in the set have been added
/// with theirs.
void agpu__simt_reach(MlirSymbolTable symbols, MlirOperation function,
                      agpu__op_set *reached);

/// Inlines functions that wait for other threads, end their own or assert into
/// the kernels. Threads that end return from the kernel. Fails with a
/// diagnostic where a function that waits or ends its thread cannot be inlined.
MlirLogicalResult agpu__simt_inline_waits(MlirOperation gpu_module);

/// Erases the symbols that no kernel refers to.
void agpu__simt_drop_unused(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_CALLS_H
