//===- symbols.h - Names of kernels in a program ---------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program carries of a kernel is found by its symbol. Nothing else makes
// up such names.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNEL_SYMBOLS_H
#define ASYNC_GPU_GPU_KERNEL_SYMBOLS_H

#include "mlir-c/IR.h"

/// "PREFIX.MODULE.NAME" as a new string that the caller frees. Different pairs
/// of module and name give different symbols. `name` may be empty: then
/// "PREFIX.MODULE".
char *agpu__embed_symbol(const char *prefix, MlirStringRef module,
                         MlirStringRef name);

/// The symbol of the agpu_kernel_desc that launches of `kernel_ref`
/// (`@module::@kernel`) take the address of, as a new string that the caller
/// frees; NULL if the attribute is no such reference.
char *agpu__kernel_symbol(MlirAttribute kernel_ref);

#endif // ASYNC_GPU_GPU_KERNEL_SYMBOLS_H
